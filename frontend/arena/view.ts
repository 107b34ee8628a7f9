/** The three-dimensional picture: it takes states and events, and moves by itself. */

import {
  BoxGeometry, Color, ColorManagement, CylinderGeometry, LinearSRGBColorSpace, Scene, Vector3, WebGLRenderer,
} from "three";
import { Floor, floorRadius } from "./floor.ts";
import { Labels } from "./labels.ts";
import { Naming } from "./naming.ts";
import { palette, type Palette } from "./palette.ts";
import { arrival, columnAndIce, cubeLook, teamLooks, type TeamLooks } from "./placing.ts";
import { Rig } from "./rig.ts";
import { Ripples, type Ripple } from "./ripples.ts";
import { Solids } from "./solids.ts";
import type { GuessLine, State, Team, Texts } from "./types.ts";

const EASE = 3.4;
const LETTERS = 13;
const LARGE_LETTERS = 22;
const LONGEST_STEP = 0.25;

export interface Settings { texts: Texts; own: number | null; calm: boolean; dark: boolean; large: boolean }

export class View {
  readonly renderer: WebGLRenderer;
  readonly rig: Rig;
  readonly ripples = new Ripples();
  readonly labels = new Labels();
  readonly columns: Solids;
  cubes: Solids;
  frames = 0;
  drawCalls = 0;
  selected: number | null = null;
  state: State | null = null;
  readonly indexOf = new Map<number, number>();
  private readonly scene = new Scene();
  private readonly floor = new Floor();
  private readonly melted: Solids;
  private readonly stems: Solids;
  private colors: Palette;
  looks: TeamLooks[] = [];
  private readonly naming = new Naming(this.labels);
  /** What was lost before the last state, and what is still to be seen as it was. */
  private before = new Map<number, number>();
  private readonly held = new Map<number, number>();
  /** From the box (0) to the rings (1). */
  blend = 0;
  private dirty = true;
  width = 1;
  height = 1;
  private last = 0;
  private readonly point = new Vector3();
  private readonly settings: Settings;

  constructor(canvas: HTMLCanvasElement, settings: Settings, byHand: () => void) {
    this.settings = settings;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    // The palette's colors are those of the page, and go to the screen as they are.
    ColorManagement.enabled = false;
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    // The parts are added in the order in which they are drawn, and none of them moves as a whole.
    this.renderer.sortObjects = false;
    this.scene.matrixWorldAutoUpdate = false;
    this.colors = palette(settings.dark);
    const box = (): BoxGeometry => new BoxGeometry(1, 1, 1);
    this.cubes = new Solids(box(), 256, 1);
    this.columns = new Solids(new CylinderGeometry(0.5, 0.5, 1, 6, 1), 256, 6);
    this.melted = new Solids(box(), 256, 1, 0.3, 0.9);
    this.stems = new Solids(box(), 256, 1, 1, 0);
    this.rig = new Rig(canvas, byHand);
    this.scene.add(...this.floor.objects, this.stems.mesh, this.cubes.mesh, this.columns.mesh);
    this.scene.add(this.ripples.mesh, this.melted.mesh, this.labels.mesh);
    this.scene.updateMatrixWorld(true);
    this.restyle();
  }

  /** Take over new settings: colors, letters, motion. */
  restyle(): void {
    this.colors = palette(this.settings.dark);
    this.renderer.setClearColor(new Color(...this.colors.ground));
    this.floor.colors(this.colors);
    for (const ice of [this.cubes, this.melted, this.stems]) ice.colors(this.colors.iceEdge, this.colors.flame);
    this.columns.colors(this.colors.fireEdge, this.colors.flame);
    this.ripples.colors(this.colors.flame, this.colors.fire[this.settings.dark ? 2 : 0]!);
    this.labels.restyle(this.settings.large ? LARGE_LETTERS : LETTERS, Math.min(window.devicePixelRatio, 2));
    this.place();
  }

  resize(width: number, height: number): void {
    [this.width, this.height] = [Math.max(1, width), Math.max(1, height)];
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(this.width, this.height, false);
    this.rig.camera.aspect = this.width / this.height;
    this.rig.camera.updateProjectionMatrix();
    if (this.state) this.rig.frame(this.state);
    this.dirty = true;
  }

  /** Show a state; everything moves to its new place. */
  apply(state: State): void {
    const first = this.state === null;
    const changed = this.state?.scene !== state.scene || this.state.teams.length !== state.teams.length;
    this.before = new Map(this.state?.teams.map((team) => [team.team, team.lost]));
    this.state = state;
    this.floor.fit(state);
    this.ripples.floor(floorRadius(state.teams.length));
    this.place();
    if (changed) this.rig.frame(state);
    if (first) {
      this.blend = state.scene === "attack" ? 1 : 0;
      this.rig.jump();
    }
  }

  /** Let a ripple run; the defender's ice stays as it was until the ripple is there. */
  fire(guess: GuessLine): void {
    const index = (team: number): number => this.state?.teams.findIndex((one) => one.team === team) ?? -1;
    const [from, to] = [this.looks[index(guess.attacker)], this.looks[index(guess.defender)]];
    if (!from || !to || guess.hits <= 0 || this.state?.scene !== "attack" || this.settings.calm) return;
    this.held.set(guess.defender, this.held.get(guess.defender) ?? this.before.get(guess.defender) ?? 0);
    this.ripples.start(guess.attacker, guess.defender, from.place, to.place);
    this.columns.glow(index(guess.attacker));
    this.place();
  }

  /** Forget ripples on their way, as when somebody jumps to another time. */
  settle(): void {
    this.ripples.clear();
    this.held.clear();
    this.place();
  }

  select(team: number | null): void {
    this.selected = team;
    this.place();
  }

  /** What the picture shows as lost; less than the state says while a ripple is on its way. */
  shownLost(team: Team): number {
    return Math.min(team.lost, this.held.get(team.team) ?? team.lost);
  }

  step(now: number): void {
    const seconds = Math.min(LONGEST_STEP, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    if (!this.state) return;
    const calm = this.settings.calm;
    const share = calm ? 1 : 1 - Math.exp(-EASE * seconds);
    let moved = this.cubes.step(share);
    moved = this.columns.step(share) || moved;
    moved = this.melted.step(share) || moved;
    moved = this.stems.step(share) || moved;
    moved = this.ripples.step(seconds, this.arrive) || moved;
    moved = this.turn(share) || moved;
    if (moved) this.lookAfter();
    moved = this.rig.step(seconds, calm) || moved;
    if (!moved && !this.dirty) return;
    this.naming.anchor(this);
    this.rig.camera.updateMatrixWorld();
    this.dirty = this.labels.step(this.rig.camera, this.width, this.height, calm ? 1 : seconds);
    this.renderer.render(this.scene, this.rig.camera);
    this.drawCalls = this.renderer.info.render.calls;
    this.frames += 1;
  }

  /** Draw again although nothing moves. */
  redraw(): void {
    this.dirty = true;
  }

  dispose(): void {
    this.rig.dispose();
    for (const part of [this.cubes, this.columns, this.melted, this.stems, this.ripples, this.labels, this.floor]) part.dispose();
    this.renderer.dispose();
  }

  private readonly arrive = (ripple: Ripple): void => {
    const others = this.ripples.burning.some((one) => one.burns && !one.arrived && one.defender === ripple.defender);
    if (!others) this.held.delete(ripple.defender);
    const team = this.state?.teams.find((one) => one.team === ripple.defender);
    const index = team?.cube ? this.indexOf.get(team.cube.submission) : undefined;
    if (index !== undefined) this.cubes.glow(index);
    this.place();
  };

  /** Say of every solid where it belongs in the present state. */
  private place(): void {
    const state = this.state;
    if (!state) return;
    for (const cube of state.cubes) {
      if (!this.indexOf.has(cube.submission)) this.indexOf.set(cube.submission, this.indexOf.size);
    }
    this.room(this.indexOf.size);
    this.looks = teamLooks(state, (team) => this.shownLost(team), this.colors);
    state.teams.forEach((_, index) => {
      const look = this.looks[index] as TeamLooks;
      this.columns.aim(index, look.column, { ...look.column, size: [0, 0, 0] });
      this.melted.aim(index, look.melted);
      this.stems.aim(index, look.stem);
    });
    for (let index = state.teams.length; index < this.columns.count; index++) {
      for (const solids of [this.columns, this.melted, this.stems]) solids.vanish(index);
    }
    const order = new Map(state.teams.map((team, index) => [team.team, index]));
    const here = new Set<number>();
    for (const cube of state.cubes) {
      const at = order.get(cube.team);
      const team = at === undefined ? null : (state.teams[at] as Team);
      const ice = at === undefined ? null : columnAndIce((this.looks[at] as TeamLooks).place).ice;
      const look = cubeLook(cube, state, ice, team ? this.shownLost(team) : 0, team, this.colors);
      this.cubes.aim(this.indexOf.get(cube.submission) as number, look, arrival(look));
      here.add(cube.submission);
    }
    for (const [submission, index] of this.indexOf) if (!here.has(submission)) this.cubes.vanish(index);
    this.naming.name(state, this.selected, this.settings, this.colors);
    this.dirty = true;
  }

  /** Make room for more cubes; those that are there stay where they are. */
  private room(wanted: number): void {
    if (wanted <= this.cubes.capacity) return;
    const larger = new Solids(new BoxGeometry(1, 1, 1), 2 ** Math.ceil(Math.log2(wanted)), 1);
    larger.take(this.cubes);
    this.scene.remove(this.cubes.mesh);
    this.cubes.dispose();
    this.cubes = larger;
    this.cubes.colors(this.colors.iceEdge, this.colors.flame);
    this.scene.add(larger.mesh);
  }

  /** Return how many pixels a unit has at a distance. */
  pixels(distance: number): number {
    return this.height / (2 * Math.tan((this.rig.camera.fov * Math.PI) / 360) * distance);
  }

  private turn(share: number): boolean {
    const goal = this.state!.scene === "attack" ? 1 : 0;
    const way = goal - this.blend;
    if (way === 0 && this.frames > 0) return false;
    this.blend = Math.abs(way) < 0.01 ? goal : this.blend + way * share;
    this.floor.blend(this.blend);
    return true;
  }

  /** Keep the followed team in sight. */
  private lookAfter(): void {
    const index = this.selected === null ? -1 : this.state!.teams.findIndex((one) => one.team === this.selected);
    const team = this.state!.teams[index];
    if (!team) {
      this.rig.follow(null);
      return;
    }
    const cube = team.cube ? this.indexOf.get(team.cube.submission) : undefined;
    const place = (this.looks[index] as TeamLooks).place;
    if (this.state!.scene === "attack" || cube === undefined) this.point.set(place.x, 1.6, place.z);
    else this.point.set(this.cubes.value(cube, 0), this.cubes.value(cube, 1), this.cubes.value(cube, 2));
    this.rig.follow(this.point);
  }
}
