/** What is under the pointer. */

import { Vector3 } from "three";
import type { Solids } from "./solids.ts";
import type { Cube, Team } from "./types.ts";
import type { View } from "./view.ts";

export interface Picked { team: Team; cube: Cube | null }

const MARGIN = 3;
const point = new Vector3();

/** Return the submission or team that is nearest to the eye at a point of the picture. */
export function pick(view: View, x: number, y: number): Picked | null {
  if (!view.state) return null;
  const teams = new Map(view.state.teams.map((team) => [team.team, team]));
  let nearest = Infinity;
  let found: Picked | null = null;
  const look = (solids: Solids, index: number, picked: Picked): void => {
    const depth = hit(view, solids, index, x, y);
    if (depth < nearest) [nearest, found] = [depth, picked];
  };
  for (const cube of view.state.cubes) {
    const team = teams.get(cube.team);
    const index = view.indexOf.get(cube.submission);
    if (team && index !== undefined) look(view.cubes, index, { team, cube });
  }
  if (view.state.scene === "attack") {
    view.state.teams.forEach((team, index) => look(view.columns, index, { team, cube: team.cube }));
  }
  return found;
}

/** Return how far away a solid is that covers a point of the picture. */
function hit(view: View, solids: Solids, index: number, x: number, y: number): number {
  const [width, height] = [solids.value(index, 3), solids.value(index, 4)];
  if (width < 0.05) return Infinity;
  point.set(solids.value(index, 0), solids.value(index, 1) + height / 2, solids.value(index, 2));
  const depth = view.rig.camera.position.distanceTo(point);
  const pixels = view.pixels(depth);
  point.project(view.rig.camera);
  const dx = Math.abs(((point.x + 1) / 2) * view.width - x);
  const dy = Math.abs(((1 - point.y) / 2) * view.height - y);
  const covers = dx <= width * pixels * 0.6 + MARGIN && dy <= height * pixels * 0.55 + MARGIN;
  return covers && point.z < 1 ? depth : Infinity;
}
