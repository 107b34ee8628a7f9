/** The contest at any moment, as a pure function of its story: live and replay are the same. */

import { measure, rank } from "./ranking.ts";
import type { Cube, GuessLine, Line, Phase, State, Story, Team } from "./types.ts";

/** A story whose lines stand in the order of time. */
export interface Told {
  story: Story;
  lines: Line[];
  times: Float64Array;
  begins: number;
  until: number;
}

export function tell(story: Story): Told {
  const lines = story.lines
    .map((line) => ({ line, time: Date.parse(line.t) }))
    .sort((a, b) => a.time - b.time);
  const times = Float64Array.from(lines, (one) => one.time);
  const last = times.length ? (times[times.length - 1] as number) : 0;
  const until = Math.max(Date.parse(story.header.until), last);
  const begins = times.length ? (times[0] as number) : until;
  return { story, lines: lines.map((one) => one.line), times, begins, until };
}

/** Return how many lines have happened by a time. */
export function happened(told: Told, t: number): number {
  let low = 0;
  let high = told.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((told.times[middle] as number) <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the contest at a time. */
export function stateAt(told: Told, t: number): State {
  const fold = new Fold();
  const count = happened(told, t);
  for (let index = 0; index < count; index++) fold.take(told.lines[index] as Line);
  return fold.state(told.story, t);
}

class Fold {
  phase: Phase = null;
  attacked = false;
  names = new Map<number, string>();
  cubes = new Map<number, Cube>();
  chosen = new Map<number, number>();
  best = new Map<string, GuessLine>();

  take(line: Line): void {
    switch (line.kind) {
      case "team":
        this.names.set(line.team, line.name);
        break;
      case "phase":
        this.phase = line.phase;
        if (line.phase === "attack") this.attacked = true;
        if (line.phase === "anonymize") this.attacked = false;
        break;
      case "submission":
        this.cubes.set(line.submission, {
          submission: line.submission,
          team: line.team,
          values: line.values,
          total: line.total,
          loss: null,
          safety: null,
          counts: false,
          rank: null,
        });
        break;
      case "choose":
        this.chosen.set(line.team, line.submission);
        break;
      case "withdraw":
        this.cubes.delete(line.submission);
        break;
      case "guess": {
        const pair = `${line.attacker} ${line.defender}`;
        const before = this.best.get(pair);
        if (before === undefined || line.success > before.success) this.best.set(pair, line);
      }
    }
  }

  state(story: Story, t: number): State {
    const cubes = [...this.cubes.values()].sort((a, b) => a.submission - b.submission);
    measure(cubes, story.header.metrics);
    const ranked = rank(cubes, story.header, this.chosen);
    const teams = this.teams(cubes);
    const mostFound = teams.reduce((most, team) => Math.max(most, team.found), 0);
    const scene = this.attacked ? "attack" : "anonymize";
    return { t, phase: this.phase, scene, teams, cubes, ranked, mostFound };
  }

  teams(cubes: Cube[]): Team[] {
    const teams = new Map<number, Team>();
    for (const [team, name] of this.names) {
      teams.set(team, { team, name, cube: null, found: 0, lost: 0, lostTo: null });
    }
    for (const cube of cubes) {
      const team = teams.get(cube.team);
      if (team && cube.counts) team.cube = cube;
    }
    for (const guess of this.best.values()) {
      const [attacker, defender] = [teams.get(guess.attacker), teams.get(guess.defender)];
      if (attacker) attacker.found += guess.hits;
      if (defender && guess.success > defender.lost) {
        defender.lost = Math.min(1, guess.success);
        defender.lostTo = guess.attacker;
      }
    }
    return [...teams.values()].sort((a, b) => a.team - b.team);
  }
}
