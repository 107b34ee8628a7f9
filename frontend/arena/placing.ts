/** How the solids of the scene look in a state: places, sizes and colors. */

import {
  COLUMN_HEIGHT, COLUMN_RADIUS, CUBE, HEIGHT, ICE_WIDTH, OTHER_CUBE, SIDE,
  columnAndIce, columnHeight, cubePlace, iceHeight, teamPlaces, wholeIce, type Point,
} from "./layout.ts";
import { mix, shade, type Palette } from "./palette.ts";
import type { Look } from "./solids.ts";
import type { Cube, State, Team } from "./types.ts";

const STEM = 0.028;
const PEDESTAL = 0.07;
const PALE = 0.5;

export interface TeamLooks {
  column: Look;
  /** The part of the ice that has melted. */
  melted: Look;
  /** From the floor to the cube, so that one sees over which point it stands. */
  stem: Look;
  place: Point;
  /** Over everything that the team has. */
  top: number;
}

/** Return how a cube looks; in the attack only those that count are left, as ice. */
export function cubeLook(cube: Cube, state: State, ice: Point | null, lost: number, team: Team | null, colors: Palette): Look {
  const color = cube.safety === null ? colors.other : shade(colors.ice, cube.safety);
  if (state.scene === "attack") {
    if (!cube.counts || ice === null || team === null) {
      return { place: cubePlace(cube, state.ranked), size: [0, 0, 0], color };
    }
    return { place: ice, size: [ICE_WIDTH, iceHeight(team, lost), ICE_WIDTH], color };
  }
  const size = cube.counts ? CUBE : OTHER_CUBE;
  return {
    place: cubePlace(cube, state.ranked),
    size: [size, size, size],
    color: cube.counts ? color : mix(color, colors.ground, PALE),
  };
}

/** Return where a new cube comes from: over the front of the box, small. */
export function arrival(look: Look): Look {
  return {
    place: { x: look.place.x * 0.4, y: HEIGHT + 3, z: SIDE * 0.9 },
    size: [0.05, 0.05, 0.05],
    color: look.color,
  };
}

/** Return how the things of every team look; `lost` is what has melted of its ice by now. */
export function teamLooks(state: State, lost: (team: Team) => number, colors: Palette): TeamLooks[] {
  const places = teamPlaces(state.teams.length);
  const attack = state.scene === "attack";
  return state.teams.map((team, index) => {
    const place = places[index] as Point;
    const { column, ice } = columnAndIce(place);
    const height = attack ? PEDESTAL + columnHeight(team, state) : 0;
    const left = attack ? iceHeight(team, lost(team)) : 0;
    const gone = attack ? wholeIce(team) - left : 0;
    const stands = team.cube && !attack ? cubePlace(team.cube, state.ranked) : { x: ice.x, y: 0, z: ice.z };
    const width = attack ? 2 * COLUMN_RADIUS : 0;
    return {
      column: { place: column, size: [width, height, width], color: shade(colors.fire, height / COLUMN_HEIGHT) },
      melted: {
        place: { x: ice.x, y: left, z: ice.z },
        size: gone > 0.001 ? [ICE_WIDTH, gone, ICE_WIDTH] : [0, 0, 0],
        color: shade(colors.ice, 0.5),
      },
      stem: {
        place: { x: stands.x, y: 0, z: stands.z },
        size: attack || !team.cube ? [0, 0, 0] : [STEM, stands.y, STEM],
        color: colors.line,
      },
      place,
      top: Math.max(height, left + gone),
    };
  });
}

export { columnAndIce, type Point };
