/** Where everything stands: pure functions from the state to places in the scene. */

import type { Cube, State, Team } from "./types.ts";

/** The box of the anonymization phase: x is utility loss, y the rank, z safety. */
export const SIDE = 10;
export const HEIGHT = 6;
export const CUBE = 0.5;
export const OTHER_CUBE = 0.24;

/** The attack: sizes of ice and columns, and the space that a team needs on its ring. */
export const ICE_HEIGHT = 3.2;
export const LEAST_ICE = 0.3;
export const ICE_WIDTH = 0.62;
export const COLUMN_HEIGHT = 4.2;
export const COLUMN_RADIUS = 0.36;
const CELL = 1.75;
const RING_GAP = 2.6;
const SMALLEST_RING = 3.4;
const MOST_IN_ONE_RING = 26;
const APART = 0.42;

export interface Point { x: number; y: number; z: number }

/** Return where the foot of a submission's cube is; without a rank or a score it lies at the worst end. */
export function cubePlace(cube: Cube, ranked: number): Point {
  const loss = cube.loss ?? 1;
  const safety = cube.safety ?? 0;
  return {
    x: (loss - 0.5) * SIDE,
    y: rankHeight(cube.rank, ranked),
    z: (safety - 0.5) * SIDE,
  };
}

/** Return the height of a rank over the floor; the first is on top. */
export function rankHeight(rank: number | null, ranked: number): number {
  if (rank === null) return 0;
  if (ranked <= 1) return HEIGHT;
  return HEIGHT * Math.max(0, 1 - (rank - 1) / (ranked - 1));
}

/** Return the radii of the rings on which the teams stand, the inner one first. */
export function rings(teams: number): number[] {
  const count = teams <= MOST_IN_ONE_RING ? 1 : Math.ceil(teams / (MOST_IN_ONE_RING * 1.6)) + 1;
  let inner = SMALLEST_RING;
  const radii = (): number[] => Array.from({ length: count }, (_, ring) => inner + ring * RING_GAP);
  while (radii().reduce((sum, radius) => sum + seats(radius), 0) < teams) inner += 0.1;
  return radii();
}

function seats(radius: number): number {
  return Math.floor((2 * Math.PI * radius) / CELL);
}

/** Return where the teams stand in the attack, in the order in which they joined. */
export function teamPlaces(teams: number): Point[] {
  const radii = rings(teams);
  const room = radii.reduce((sum, radius) => sum + seats(radius), 0);
  const places: Point[] = [];
  radii.forEach((radius, ring) => {
    const left = teams - places.length;
    const last = ring === radii.length - 1;
    const here = last ? left : Math.min(left, Math.round((teams * seats(radius)) / room));
    for (let seat = 0; seat < here; seat++) {
      const angle = -Math.PI / 2 + ((seat + (ring % 2) / 2) / here) * 2 * Math.PI;
      places.push({ x: Math.cos(angle) * radius, y: 0, z: Math.sin(angle) * radius });
    }
  });
  return places;
}

/** Return where a team's column and its ice stand: side by side along the ring. */
export function columnAndIce(place: Point): { column: Point; ice: Point } {
  const radius = Math.hypot(place.x, place.z) || 1;
  const [alongX, alongZ] = [(-place.z / radius) * APART, (place.x / radius) * APART];
  return {
    column: { x: place.x - alongX, y: 0, z: place.z - alongZ },
    ice: { x: place.x + alongX, y: 0, z: place.z + alongZ },
  };
}

/** Return the height of a team's ice before any of it melted; without scores it has the least. */
export function wholeIce(team: Team): number {
  if (team.cube === null) return 0;
  return ICE_HEIGHT * (LEAST_ICE + (1 - LEAST_ICE) * (team.cube.safety ?? 0));
}

/** Return the height of what is left of the ice when a share is lost. */
export function iceHeight(team: Team, lost: number): number {
  return wholeIce(team) * (1 - lost);
}

/** Return the height of a team's column; the team that found the most has the tallest. */
export function columnHeight(team: Team, state: State): number {
  return state.mostFound > 0 ? (COLUMN_HEIGHT * team.found) / state.mostFound : 0;
}

/** Return which ranks the axis names: the first, the last, and some between. */
export function rankTicks(ranked: number): number[] {
  if (ranked < 1) return [];
  const step = [1, 2, 5, 10, 20, 50, 100].find((size) => ranked / size <= 6) ?? ranked;
  const ticks = [1];
  for (let tick = step; tick < ranked; tick += step) {
    if (tick > 1 && ranked - tick >= step / 2) ticks.push(tick);
  }
  if (ranked > 1) ticks.push(ranked);
  return ticks;
}
