/** The arena on a page: the picture, the table beside it, and the time under it. */

import { Card } from "./card.ts";
import type { Course } from "./course.ts";
import { button, make } from "./dom.ts";
import { Legend } from "./legend.ts";
import { pick } from "./picking.ts";
import { Player, type Stage } from "./player.ts";
import { snapshot, type Snapshot } from "./snapshot.ts";
import type { Told } from "./story.ts";
import css from "./style.css";
import { Table } from "./table.ts";
import { Timeline } from "./timeline.ts";
import type { GuessLine, Options, State, Story } from "./types.ts";
import { View, type Settings } from "./view.ts";

const REPLAY_SECONDS = 120;
const PHONE = 640;
/** So long after the last touch the camera moves by itself again. */
const PATIENCE = 25;

export interface ArenaHandle {
  /** Show a state. */
  apply(state: State): void;
  /** Let a guess of the state that was applied last be seen as it happens. */
  fire(event: GuessLine): void;
  /** Show the contest at a time of its story. */
  seek(t: number): void;
  load(story: Story): void;
  play(): void;
  /** Go along with the contest. */
  live(): void;
  snapshot(): Snapshot;
  dispose(): void;
}

export function createArena(element: HTMLElement, options: Options): ArenaHandle {
  return new Arena(element, options);
}

class Arena implements ArenaHandle, Stage {
  private readonly root = make("div", "arena");
  private readonly stage = make("div", "arena-stage");
  private readonly canvas = make("canvas");
  private readonly head = make("div", "arena-head");
  private readonly phase = make("span", "arena-phase");
  private readonly note = make("p", "arena-note");
  private readonly tools = make("div", "arena-tools");
  private readonly table: Table;
  private readonly card: Card;
  private readonly legend: Legend;
  private readonly timeline: Timeline;
  private readonly player: Player;
  private readonly options: Options;
  private readonly settings: Settings;
  private readonly sheet = new CSSStyleSheet();
  private readonly leaving = new AbortController();
  private readonly sizes: ResizeObserver;
  private readonly view: View | null;
  private readonly switches = new Map<string, HTMLButtonElement>();
  /** When the first picture was there, in milliseconds since the page was asked for. */
  firstFrame = 0;
  private state: State | null = null;
  private asked = 0;
  private last = 0;
  private touched = -Infinity;

  constructor(element: HTMLElement, options: Options) {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.options = options;
    this.settings = {
      texts: options.texts, own: options.own ?? null, calm: calm.matches, dark: dark.matches, large: false,
    };
    this.table = new Table(options.texts, this.settings.own, (team) => this.follow(team));
    this.card = new Card(options.texts, options.language);
    this.player = new Player(this, options.seconds ?? REPLAY_SECONDS, options.live !== undefined);
    this.timeline = new Timeline(options.texts, options.language, this.player, options.live !== undefined);
    this.legend = new Legend(options.texts, element.clientWidth >= PHONE);
    this.build(element);
    this.view = this.picture();
    this.listen(dark, calm);
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.stage);
    this.resize();
    if (options.projector) this.project(true);
    if (options.story) this.load(options.story);
    (window as unknown as { __arena: ArenaHandle }).__arena = this;
    this.asked = requestAnimationFrame(this.frame);
  }

  apply(state: State): void {
    this.state = state;
    this.view?.apply(state);
    this.legend.show(state);
    this.table.show(state, this.view?.selected ?? null);
    this.phase.textContent = this.options.texts[`phase_${state.phase}`] ?? "";
    this.root.dataset["scene"] = state.scene;
  }

  fire(event: GuessLine): void {
    this.view?.fire(event);
  }

  settle(): void {
    this.view?.settle();
  }

  seek(t: number): void {
    this.player.go(t);
  }

  load(story: Story): void {
    this.player.load(story);
  }

  play(): void {
    this.player.play();
  }

  live(): void {
    this.player.live();
  }

  loaded(told: Told, course: Course): void {
    const header = told.story.header;
    this.head.firstElementChild!.textContent = header.title[this.options.language];
    this.timeline.load(told, course);
    if (this.view) {
      this.note.hidden = header.frozen === null;
      this.note.textContent = this.options.texts["frozen"] ?? "";
    }
  }

  moment(t: number, playing: boolean, following: boolean): void {
    this.timeline.show(t, playing, following);
  }

  snapshot(): Snapshot {
    return snapshot(this.state, this.view, this.player);
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    this.leaving.abort();
    this.sizes.disconnect();
    this.view?.dispose();
    this.root.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
  }

  private build(element: HTMLElement): void {
    const { texts } = this.options;
    this.sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", texts["picture"] ?? "");
    this.phase.setAttribute("role", "status");
    this.note.setAttribute("role", "status");
    this.note.hidden = true;
    this.head.append(make("strong"), this.phase);
    this.stage.append(this.canvas, this.head, this.tools, this.note, this.card.element);
    const side = make("div", "arena-side");
    side.append(this.table.element, this.legend.element);
    this.root.append(this.stage, side, this.timeline.element);
    element.append(this.root);
  }

  /** Make the picture, or say in a sentence why there is only the table. */
  private picture(): View | null {
    const missing = (): void => {
      this.root.classList.add("flat");
      this.note.hidden = false;
      this.note.textContent = this.options.texts["no_webgl"] ?? "";
    };
    const signal = this.leaving.signal;
    this.canvas.addEventListener("webglcontextlost", missing, { signal });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.root.classList.remove("flat");
      this.note.hidden = true;
      this.resize();
    }, { signal });
    try {
      return new View(this.canvas, this.settings, () => this.byHand());
    } catch {
      missing();
      return null;
    }
  }

  private listen(dark: MediaQueryList, calm: MediaQueryList): void {
    const { texts } = this.options;
    const signal = this.leaving.signal;
    const tool = (name: string, act: (on: boolean) => void, on: boolean): void => {
      const made = button(texts[name] ?? name, () => {
        const next = made.getAttribute("aria-pressed") !== "true";
        this.press(name, next);
        act(next);
      }, texts[`${name}_hint`]);
      made.dataset["tool"] = name;
      this.switches.set(name, made);
      this.tools.append(made);
      this.press(name, on);
    };
    tool("automatic", (on) => this.automatic(on), true);
    tool("calm", (on) => this.restyle({ calm: on }), this.settings.calm);
    tool("projector", (on) => this.project(on), false);
    tool("full", (on) => void (on ? this.root.requestFullscreen() : document.exitFullscreen()), false);
    dark.addEventListener("change", () => this.restyle({ dark: dark.matches }), { signal });
    calm.addEventListener("change", () => {
      this.press("calm", calm.matches);
      this.restyle({ calm: calm.matches });
    }, { signal });
    document.addEventListener("fullscreenchange", () => this.press("full", document.fullscreenElement !== null), { signal });
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    this.canvas.addEventListener("pointermove", (event) => this.hover(event), { signal });
    this.canvas.addEventListener("pointerleave", () => this.card.hide(), { signal });
    let pressed = { x: 0, y: 0 };
    this.canvas.addEventListener("pointerdown", (event) => (pressed = { x: event.offsetX, y: event.offsetY }), { signal });
    this.canvas.addEventListener("click", (event) => {
      // The end of a turn by hand is no click.
      if (Math.hypot(event.offsetX - pressed.x, event.offsetY - pressed.y) > 5 || !this.view) return;
      this.follow(pick(this.view, event.offsetX, event.offsetY)?.team.team ?? null);
    }, { signal });
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.root.classList.contains("projector")) this.project(false);
    if (event.key === " " && event.target === this.canvas) {
      event.preventDefault();
      this.player.play();
    }
  }

  private press(name: string, on: boolean): void {
    this.switches.get(name)?.setAttribute("aria-pressed", String(on));
  }

  private restyle(change: Partial<Settings>): void {
    Object.assign(this.settings, change);
    this.view?.restyle();
  }

  private project(on: boolean): void {
    this.root.classList.toggle("projector", on);
    this.press("projector", on);
    if (on) this.automatic(true);
    this.card.hide();
    this.restyle({ large: on });
    this.resize();
  }

  private automatic(on: boolean): void {
    this.press("automatic", on);
    this.touched = -Infinity;
    if (this.view) this.view.rig.automatic = on;
  }

  private byHand(): void {
    if (this.view?.rig.automatic) this.touched = performance.now();
    if (this.view) this.view.rig.automatic = false;
    this.view?.redraw();
  }

  private hover(event: PointerEvent): void {
    if (!this.view || !this.state || !this.player.told || this.settings.large) return;
    const picked = event.buttons ? null : pick(this.view, event.offsetX, event.offsetY);
    this.canvas.classList.toggle("over", picked !== null);
    if (!picked) this.card.hide();
    else this.card.show(picked, this.state, this.player.told.story.header.metrics, event.offsetX, event.offsetY);
  }

  private follow(team: number | null): void {
    if (!this.view || !this.state) return;
    this.view.select(team === this.view.selected ? null : team);
    this.table.show(this.state, this.view.selected);
  }

  private resize(): void {
    this.view?.resize(this.stage.clientWidth, this.stage.clientHeight);
  }

  private readonly frame = (now: number): void => {
    this.asked = requestAnimationFrame(this.frame);
    this.player.tick(Math.min(1, (now - this.last) / 1000));
    this.last = now;
    if (now - this.touched > PATIENCE * 1000 && this.touched > 0) this.automatic(true);
    this.view?.step(now);
    if (!this.firstFrame && this.view?.frames) this.firstFrame = performance.now();
  };
}
