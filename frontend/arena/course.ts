/** How a replay runs through the time of a contest: nights in which nothing happens are short. */

import type { Told } from "./story.ts";

/** A pause longer than this share of the whole is shown as if it were so long. */
const LONGEST_PAUSE = 1 / 30;

export class Course {
  readonly seconds: number;
  private readonly times: number[];
  private readonly places: number[];

  constructor(told: Told, seconds: number) {
    const times = [told.begins, ...told.times, told.until];
    this.times = times.filter((time, index) => index === 0 || time > (times[index - 1] as number));
    const most = (told.until - told.begins) * LONGEST_PAUSE;
    this.places = [0];
    for (let index = 1; index < this.times.length; index++) {
      const pause = (this.times[index] as number) - (this.times[index - 1] as number);
      this.places.push((this.places[index - 1] as number) + Math.min(pause, most));
    }
    const whole = this.places[this.places.length - 1] as number;
    this.seconds = whole > 0 ? seconds : 0;
    if (whole > 0) this.places = this.places.map((place) => (place / whole) * seconds);
  }

  /** Return the contest's time after so many seconds of the replay. */
  at(seconds: number): number {
    return between(this.places, this.times, seconds);
  }

  /** Return after how many seconds of the replay a time of the contest comes. */
  secondsOf(time: number): number {
    return between(this.times, this.places, time);
  }
}

/** Interpolate from rising numbers to others; outside, the nearest end. */
function between(from: number[], to: number[], value: number): number {
  const last = from.length - 1;
  if (last < 1 || value <= (from[0] as number)) return to[0] as number;
  if (value >= (from[last] as number)) return to[last] as number;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((from[middle] as number) <= value) low = middle;
    else high = middle;
  }
  const [start, end] = [from[low] as number, from[high] as number];
  const [first, second] = [to[low] as number, to[high] as number];
  return first + ((value - start) / (end - start)) * (second - first);
}
