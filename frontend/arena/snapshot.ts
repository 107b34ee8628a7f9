/** What the arena shows, as plain values: for tests, and for whoever wants to look inside. */

import { columnAndIce } from "./layout.ts";
import type { Player } from "./player.ts";
import type { State, Team } from "./types.ts";
import type { View } from "./view.ts";

interface Place { x: number; y: number; z: number; size: number; height: number }

export interface Snapshot {
  t: number;
  lines: number;
  playing: boolean;
  following: boolean;
  webgl: boolean;
  automatic: boolean;
  state: State | null;
  frames: number;
  drawCalls: number;
  labels: number;
  moving: boolean;
  ripples: { attacker: number; defender: number; radius: number; reach: number }[];
  ripplesStarted: number;
  cubes: { submission: number; team: number; now: Place; goal: Place }[];
  teams: { team: number; column: Place; columnGoal: Place; ice: Place | null; iceGoal: Place | null; at: { x: number; z: number } }[];
}

export function snapshot(state: State | null, view: View | null, player: Player): Snapshot {
  const place = (kind: "cubes" | "columns", index: number, goal: boolean): Place => {
    const value = (channel: number): number => view![kind].value(index, channel, goal);
    return { x: value(0), y: value(1), z: value(2), size: value(3), height: value(4) };
  };
  const cube = (submission: number, goal: boolean): Place | null => {
    const index = view!.indexOf.get(submission);
    return index === undefined ? null : place("cubes", index, goal);
  };
  const ice = (team: Team, goal: boolean): Place | null =>
    team.cube && state!.scene === "attack" ? cube(team.cube.submission, goal) : null;
  return {
    t: player.t,
    lines: player.told?.lines.length ?? 0,
    playing: player.playing,
    following: player.following,
    webgl: view !== null,
    automatic: view?.rig.automatic ?? false,
    state,
    frames: view?.frames ?? 0,
    drawCalls: view?.drawCalls ?? 0,
    labels: view?.labels.shown ?? 0,
    moving: view !== null && (view.cubes.moving || view.columns.moving),
    ripples: (view?.ripples.burning ?? [])
      .filter((one) => one.burns)
      .map(({ attacker, defender, radius, reach }) => ({ attacker, defender, radius, reach })),
    ripplesStarted: view?.ripples.started ?? 0,
    cubes: !view || !state ? [] : state.cubes.map((one) => ({
      submission: one.submission,
      team: one.team,
      now: cube(one.submission, false) as Place,
      goal: cube(one.submission, true) as Place,
    })),
    teams: !view || !state ? [] : state.teams.map((team, index) => ({
      team: team.team,
      column: place("columns", index, false),
      columnGoal: place("columns", index, true),
      ice: ice(team, false),
      iceGoal: ice(team, true),
      at: columnAndIce(view.looks[index]!.place).ice,
    })),
  };
}
