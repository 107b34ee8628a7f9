/** The contest at any moment: a hand-worked story, and what must hold in every story. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { happened, stateAt, tell } from "../story.ts";
import type { Line, Metric, State, Story } from "../types.ts";

const METRICS: Metric[] = [
  { name: "E", title: { en: "E", ja: "E" }, kind: "utility", better: "lower" },
  { name: "S", title: { en: "S", ja: "S" }, kind: "safety", better: "higher" },
];

function at(minute: number): number {
  return Date.parse(`2026-12-01T00:${String(minute).padStart(2, "0")}:00Z`);
}

function line(minute: number, rest: object): Line {
  return { t: new Date(at(minute)).toISOString(), ...rest } as Line;
}

function entry(minute: number, team: number, submission: number, total: number | null, e: number, s: number): Line {
  return line(minute, { kind: "submission", team, submission, total, values: { E: e, S: s } });
}

function guess(minute: number, attacker: number, defender: number, hits: number): Line {
  return line(minute, { kind: "guess", attacker, defender, hits, total: 10, success: hits / 10 });
}

function story(lines: Line[], header: object = {}): Story {
  return {
    header: {
      kind: "story", version: 1, title: { en: "C", ja: "C" }, counts: "best", better: "lower",
      by_ranks: false, ranked: true, frozen: null, until: new Date(at(59)).toISOString(), metrics: METRICS, ...header,
    },
    lines,
  };
}

const TEAMS = [1, 2, 3].map((team) => line(0, { kind: "team", team, name: `T${team}` }));
const PLAYED = [
  ...TEAMS,
  line(1, { kind: "phase", phase: "anonymize" }),
  entry(2, 1, 10, 0.5, 0.2, 0.6),
  entry(3, 2, 11, 0.7, 0.4, 0.8),
  entry(4, 1, 12, 0.9, 0.6, 0.4),
  entry(5, 3, 13, null, 0.3, 0.5),
  line(20, { kind: "phase", phase: "attack" }),
  guess(21, 1, 2, 2),
  guess(22, 1, 2, 5),
  guess(23, 1, 2, 3),
  guess(24, 3, 2, 1),
  guess(25, 2, 1, 4),
  line(40, { kind: "phase", phase: "closed" }),
];

function ranks(state: State): (number | null)[] {
  return state.teams.map((team) => team.cube?.rank ?? null);
}

test("a contest that was worked by hand has its cubes, ranks and scores", () => {
  const state = stateAt(tell(story(PLAYED)), at(10));
  assert.equal(state.scene, "anonymize");
  assert.deepEqual(ranks(state), [1, 2, null]);
  assert.deepEqual(state.teams.map((team) => team.cube?.submission), [10, 11, 13]);
  const cubes = new Map(state.cubes.map((cube) => [cube.submission, cube]));
  // E runs from 0.2 (best) to 0.6, S from 0.4 to 0.8 (best).
  assert.deepEqual([10, 11, 12].map((id) => cubes.get(id)!.loss!.toFixed(3)), ["0.000", "0.500", "1.000"]);
  assert.deepEqual([10, 11, 12].map((id) => cubes.get(id)!.safety!.toFixed(3)), ["0.500", "1.000", "0.000"]);
  assert.deepEqual([10, 11, 12, 13].map((id) => cubes.get(id)!.counts), [true, true, false, true]);
  assert.equal(cubes.get(12)!.rank, 3, "two that count are better");
  assert.equal(state.ranked, 2);
});

test("an attack counts the best guess against each team, and melts by the largest share", () => {
  const state = stateAt(tell(story(PLAYED)), at(30));
  assert.equal(state.scene, "attack");
  assert.deepEqual(state.teams.map((team) => team.found), [5, 4, 1]);
  assert.deepEqual(state.teams.map((team) => team.lost), [0.4, 0.5, 0]);
  assert.deepEqual(state.teams.map((team) => team.lostTo), [2, 1, null]);
  assert.equal(state.mostFound, 5);
  assert.equal(stateAt(tell(story(PLAYED)), at(50)).scene, "attack", "the end shows the attack");
});

test("what comes later does not change what was", () => {
  const whole = tell(story(PLAYED));
  for (let minute = 0; minute < 45; minute++) {
    const now = PLAYED.filter((one) => Date.parse(one.t) <= at(minute));
    assert.deepEqual(stateAt(whole, at(minute)), stateAt(tell(story(now)), at(minute)));
  }
});

test("the order in which lines arrive does not matter", () => {
  const shuffled = [...PLAYED].reverse().sort((a, b) => a.t.length - b.t.length);
  assert.deepEqual(stateAt(tell(story(shuffled)), at(30)).teams, stateAt(tell(story(PLAYED)), at(30)).teams);
});

test("equal totals share a rank, and an unranked total is never first", () => {
  const lines = [...TEAMS, entry(2, 1, 1, 0.5, 1, 1), entry(2, 2, 2, 0.5, 1, 1), entry(2, 3, 3, 0.8, 1, 1)];
  assert.deepEqual(ranks(stateAt(tell(story(lines)), at(5))), [1, 1, 3]);
  assert.deepEqual(ranks(stateAt(tell(story(lines, { better: "higher" })), at(5))), [2, 2, 1]);
  assert.deepEqual(ranks(stateAt(tell(story(lines, { ranked: false })), at(5))), [null, null, null]);
});

test("the latest or the chosen submission counts where the contest says so", () => {
  const lines = [...TEAMS, entry(2, 1, 1, 0.1, 1, 1), entry(3, 1, 2, 0.9, 1, 1), line(4, { kind: "choose", team: 1, submission: 1 })];
  const counting = (counts: string, minute: number): number | undefined =>
    stateAt(tell(story(lines, { counts })), at(minute)).teams[0]!.cube?.submission;
  assert.equal(counting("best", 5), 1);
  assert.equal(counting("latest", 5), 2);
  assert.equal(counting("chosen", 3), 2, "nothing is chosen yet");
  assert.equal(counting("chosen", 5), 1);
});

test("a withdrawn submission is gone from then on", () => {
  const lines = [...TEAMS, entry(2, 1, 1, 0.1, 1, 1), line(4, { kind: "withdraw", team: 1, submission: 1 })];
  assert.equal(stateAt(tell(story(lines)), at(3)).cubes.length, 1);
  assert.equal(stateAt(tell(story(lines)), at(4)).cubes.length, 0);
});

test("without a total the mean of the places decides", () => {
  const lines = [...TEAMS, entry(2, 1, 1, null, 0.1, 0.1), entry(2, 2, 2, null, 0.2, 0.9), entry(2, 3, 3, null, 0.3, 0.5)];
  const state = stateAt(tell(story(lines, { by_ranks: true })), at(5));
  // Places in E: 1, 2, 3; in S, where higher is better: 3, 1, 2.
  assert.deepEqual(state.teams.map((team) => team.cube!.total), [2, 1.5, 2.5]);
  assert.deepEqual(ranks(state), [2, 1, 3]);
});

test("the lines of a moment have happened at that moment", () => {
  const told = tell(story(PLAYED));
  assert.equal(happened(told, at(0) - 1), 0);
  assert.equal(happened(told, at(0)), 3);
  assert.equal(happened(told, at(59)), PLAYED.length);
});
