/** Runs through a story: forward by itself, to any moment by hand, or along with the contest. */

import { Course } from "./course.ts";
import { happened, stateAt, tell, type Told } from "./story.ts";
import type { Controls } from "./timeline.ts";
import type { GuessLine, State, Story } from "./types.ts";

/** While it runs, the state is looked at no more often than this. */
const EVERY = 0.15;

export interface Stage {
  apply(state: State): void;
  fire(event: GuessLine): void;
  /** Put out what is on its way: somebody has jumped to another time. */
  settle(): void;
  loaded(told: Told, course: Course): void;
  moment(t: number, playing: boolean, following: boolean): void;
}

export class Player implements Controls {
  told: Told | null = null;
  t = 0;
  playing = false;
  following: boolean;
  private factor = 1;
  private course: Course | null = null;
  private applied = -1;
  private waited = 0;
  private readonly stage: Stage;
  private readonly seconds: number;

  constructor(stage: Stage, seconds: number, live: boolean) {
    this.stage = stage;
    this.seconds = seconds;
    this.following = live;
  }

  /** Take a story, or a longer version of it. */
  load(story: Story): void {
    const before = this.told;
    this.told = tell(story);
    this.course = new Course(this.told, this.seconds);
    this.stage.loaded(this.told, this.course);
    if (this.following) {
      // Lines are known by their time: what is later than all that was told is new.
      this.applied = before ? happened(this.told, before.times.at(-1) ?? -Infinity) : -1;
      this.show(this.told.until, before !== null, true);
    } else if (before === null) this.go(this.told.begins);
    else this.show(this.t, false, true);
  }

  play(): void {
    if (!this.told || !this.course) return;
    this.playing = !this.playing;
    this.following = false;
    if (this.playing && this.t >= this.told.until) this.go(this.told.begins);
    this.stage.moment(this.t, this.playing, this.following);
  }

  speed(factor: number): void {
    this.factor = factor;
  }

  go(t: number): void {
    this.following = false;
    this.show(t, false, false);
  }

  live(): void {
    if (!this.told) return;
    this.playing = false;
    this.following = true;
    this.show(this.told.until, false, false);
  }

  tick(seconds: number): void {
    if (!this.playing || !this.told || !this.course) return;
    this.waited += seconds;
    if (this.waited < EVERY) return;
    const t = this.course.at(this.course.secondsOf(this.t) + this.waited * this.factor);
    this.waited = 0;
    if (t >= this.told.until) this.playing = false;
    this.show(t, true, false);
  }

  private show(t: number, running: boolean, anew: boolean): void {
    const told = this.told as Told;
    this.t = t;
    const count = happened(told, t);
    const before = this.applied;
    this.applied = count;
    if (anew || count !== before) {
      this.stage.apply(stateAt(told, t));
      if (running && count >= before) {
        for (const line of told.lines.slice(Math.max(0, before), count)) {
          if (line.kind === "guess") this.stage.fire(line);
        }
      } else this.stage.settle();
    }
    this.stage.moment(t, this.playing, this.following);
  }
}
