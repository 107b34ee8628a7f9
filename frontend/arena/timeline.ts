/** The bar under the picture: play, speed, and every moment of the contest to go to. */

import type { Course } from "./course.ts";
import { button, make } from "./dom.ts";
import type { Told } from "./story.ts";
import type { Language, Texts } from "./types.ts";

const STEPS = 1000;
const SPEEDS = [0.5, 1, 2, 4, 8];
/** A mark has its name where there is so much room; at the end the name stands before the mark. */
const ROOM = 0.09;
const LATE = 0.88;

export interface Controls {
  play(): void;
  speed(factor: number): void;
  go(t: number): void;
  live(): void;
}

export class Timeline {
  readonly element = make("div", "arena-time");
  private readonly bar = make("input");
  private readonly marks = make("div", "arena-marks");
  private readonly clock = make("output");
  private readonly playing: HTMLButtonElement;
  private readonly following: HTMLButtonElement;
  private readonly texts: Texts;
  private readonly moment: Intl.DateTimeFormat;
  private course: Course | null = null;

  constructor(texts: Texts, language: Language, controls: Controls, live: boolean) {
    this.texts = texts;
    this.moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
    this.playing = button(texts["play"] ?? "", () => controls.play());
    this.playing.className = "arena-play";
    this.following = button(texts["live"] ?? "", () => controls.live());
    this.following.hidden = !live;
    this.bar.type = "range";
    this.bar.min = "0";
    this.bar.max = String(STEPS);
    this.bar.setAttribute("aria-label", texts["time"] ?? "");
    this.bar.addEventListener("input", () => {
      if (this.course) controls.go(this.course.at((Number(this.bar.value) / STEPS) * this.course.seconds));
    });
    const speed = make("select");
    speed.setAttribute("aria-label", texts["speed"] ?? "");
    for (const factor of SPEEDS) speed.add(new Option(`× ${factor}`, String(factor), factor === 1, factor === 1));
    speed.addEventListener("change", () => controls.speed(Number(speed.value)));
    const track = make("div", "arena-track");
    track.append(this.marks, this.bar);
    this.element.append(this.playing, speed, track, this.clock, this.following);
  }

  /** Mark the beginnings of the phases. */
  load(told: Told, course: Course): void {
    this.course = course;
    const phases = told.lines.flatMap((line, index) =>
      line.kind === "phase" && course.seconds > 0
        ? [{ phase: line.phase, share: course.secondsOf(told.times[index] as number) / course.seconds }]
        : [],
    );
    const marks = phases.map(({ phase, share }, index) => {
      const room = (phases[index + 1]?.share ?? 1) - share;
      const late = share > LATE;
      const name = this.texts[`mark_${phase}`] ?? "";
      const mark = make("span", `arena-mark ${phase ?? "none"}`, late || room > ROOM ? name : "");
      mark.title = name;
      mark.style.setProperty("left", `${share * 100}%`);
      mark.classList.toggle("late", late);
      return mark;
    });
    this.marks.replaceChildren(...marks);
  }

  show(t: number, playing: boolean, following: boolean): void {
    if (!this.course) return;
    const share = this.course.seconds ? this.course.secondsOf(t) / this.course.seconds : 1;
    this.bar.value = String(Math.round(share * STEPS));
    const text = this.moment.format(t);
    this.bar.setAttribute("aria-valuetext", text);
    this.clock.textContent = text;
    this.playing.textContent = playing ? "❚❚" : "▶";
    this.playing.setAttribute("aria-label", this.texts[playing ? "pause" : "play"] ?? "");
    this.following.setAttribute("aria-pressed", String(following));
  }
}
