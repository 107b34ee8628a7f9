/** What the solids stand on: the box with its axes, and the rings of the attack. */

import { BufferGeometry, Color, Float32BufferAttribute, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, PlaneGeometry, CircleGeometry, type Object3D } from "three";
import { HEIGHT, SIDE, rankHeight, rankTicks, rings } from "./layout.ts";
import type { Palette } from "./palette.ts";
import type { Label } from "./labels.ts";
import type { State, Texts } from "./types.ts";

const LINES = 10;
const AROUND = 96;
const HALF = SIDE / 2;

/** How far the floor of the attack goes. */
export function floorRadius(teams: number): number {
  return Math.max(...rings(Math.max(1, teams))) + 1.6;
}

/** A label of an axis and its place. */
export interface Tick { label: Label; x: number; y: number; z: number }

export class Floor {
  readonly objects: Object3D[];
  private readonly ground: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private readonly disc: Mesh<CircleGeometry, MeshBasicMaterial>;
  private readonly grid: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly circles: LineSegments<BufferGeometry, LineBasicMaterial>;
  private shape = "";

  constructor() {
    const surface = (): MeshBasicMaterial => new MeshBasicMaterial({ transparent: true, depthWrite: false });
    const stroke = (): LineBasicMaterial => new LineBasicMaterial({ transparent: true, depthWrite: false });
    this.ground = new Mesh(new PlaneGeometry(SIDE, SIDE), surface());
    this.disc = new Mesh(new CircleGeometry(1, AROUND), surface());
    this.grid = new LineSegments(new BufferGeometry(), stroke());
    this.circles = new LineSegments(new BufferGeometry(), stroke());
    for (const flat of [this.ground, this.disc]) {
      flat.rotation.x = -Math.PI / 2;
      flat.position.y = -0.01;
    }
    this.objects = [this.ground, this.disc, this.grid, this.circles];
  }

  colors(colors: Palette): void {
    for (const flat of [this.ground, this.disc]) flat.material.color = new Color(...colors.floor);
    for (const lines of [this.grid, this.circles]) lines.material.color = new Color(...colors.line);
  }

  /** Draw the lines anew where the number of ranks or teams has changed. */
  fit(state: State): void {
    const shape = `${state.ranked} ${state.teams.length}`;
    if (shape === this.shape) return;
    this.shape = shape;
    const radii = rings(Math.max(1, state.teams.length));
    const edge = floorRadius(state.teams.length);
    this.disc.scale.setScalar(edge);
    this.disc.updateMatrixWorld();
    replace(this.grid, boxLines(state.ranked));
    replace(this.circles, ringLines([...radii, edge]));
  }

  /** Fade from the box (0) to the rings (1). */
  blend(share: number): void {
    this.ground.material.opacity = this.grid.material.opacity = 1 - share;
    this.disc.material.opacity = this.circles.material.opacity = share;
    this.ground.visible = this.grid.visible = share < 1;
    this.disc.visible = this.circles.visible = share > 0;
  }

  dispose(): void {
    for (const part of [this.ground, this.disc, this.grid, this.circles]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

/** Return the axes' labels: their names with the good direction, and their ends. */
export function ticks(state: State, texts: Texts): Tick[] {
  if (state.scene === "attack") return [];
  const tick = (text: string, x: number, y: number, z: number, style: "axis" | "tick" = "tick"): Tick => ({
    label: { text, style, fixed: true }, x, y, z,
  });
  const said = (key: string): string => texts[key] ?? key;
  const found = [
    tick(said("axis_loss"), 0, 0, HALF + 1.6, "axis"),
    tick("0", -HALF, 0, HALF + 0.55),
    tick("0.5", 0, 0, HALF + 0.55),
    tick("1", HALF, 0, HALF + 0.55),
    tick(said("axis_safety"), HALF + 2.1, 0, 0, "axis"),
    tick("0", HALF + 0.55, 0, -HALF),
    tick("0.5", HALF + 0.55, 0, 0),
    tick("1", HALF + 0.55, 0, HALF),
  ];
  if (state.ranked > 0) found.push(tick(said("axis_rank"), -HALF, HEIGHT + 1.1, -HALF, "axis"));
  for (const rank of rankTicks(state.ranked)) {
    found.push(tick(String(rank), -HALF - 0.45, rankHeight(rank, state.ranked), -HALF));
  }
  return found;
}

function replace(lines: LineSegments, points: number[]): void {
  lines.geometry.dispose();
  lines.geometry = new BufferGeometry();
  lines.geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
}

function boxLines(ranked: number): number[] {
  const points: number[] = [];
  for (let line = 0; line <= LINES; line++) {
    const at = (line / LINES - 0.5) * SIDE;
    points.push(at, 0, -HALF, at, 0, HALF, -HALF, 0, at, HALF, 0, at);
  }
  for (const corner of [-HALF, HALF]) points.push(corner, 0, -HALF, corner, HEIGHT, -HALF);
  points.push(-HALF, 0, HALF, -HALF, HEIGHT, HALF);
  for (const rank of rankTicks(ranked)) {
    const y = rankHeight(rank, ranked);
    points.push(-HALF, y, -HALF, HALF, y, -HALF, -HALF, y, -HALF, -HALF, y, HALF);
  }
  return points;
}

function ringLines(radii: number[]): number[] {
  const points: number[] = [];
  for (const radius of radii) {
    for (let part = 0; part < AROUND; part++) {
      for (const end of [part, part + 1]) {
        const angle = (end / AROUND) * 2 * Math.PI;
        points.push(Math.cos(angle) * radius, 0, Math.sin(angle) * radius);
      }
    }
  }
  return points;
}
