/** Places in the scene, labels that find room, and how a replay runs through time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Course } from "../course.ts";
import { Declutter, HIDDEN } from "../declutter.ts";
import {
  COLUMN_HEIGHT, HEIGHT, SIDE, columnAndIce, columnHeight, cubePlace, iceHeight, rankHeight, rankTicks, teamPlaces, wholeIce,
} from "../layout.ts";
import { tell } from "../story.ts";
import type { Cube, Header, Line, State, Team } from "../types.ts";

function cube(rest: Partial<Cube>): Cube {
  return { submission: 1, team: 1, values: {}, total: 1, loss: 0, safety: 1, counts: true, rank: 1, ...rest };
}

function team(rest: Partial<Team>): Team {
  return { team: 1, name: "T", cube: cube({}), found: 0, lost: 0, lostTo: null, ...rest };
}

test("little loss is left, safe is in front, the first is on top", () => {
  assert.deepEqual(cubePlace(cube({}), 5), { x: -SIDE / 2, y: HEIGHT, z: SIDE / 2 });
  assert.deepEqual(cubePlace(cube({ loss: 1, safety: 0, rank: 5 }), 5), { x: SIDE / 2, y: 0, z: -SIDE / 2 });
  assert.deepEqual(cubePlace(cube({ loss: 0.5, safety: 0.5, rank: 3 }), 5), { x: 0, y: HEIGHT / 2, z: 0 });
});

test("without a rank or a score a cube lies at the worst end", () => {
  assert.deepEqual(cubePlace(cube({ loss: null, safety: null, rank: null }), 5), { x: SIDE / 2, y: 0, z: -SIDE / 2 });
  assert.equal(rankHeight(9, 5), 0, "the place that a submission would have can be after the last");
  assert.equal(rankHeight(1, 1), HEIGHT);
});

test("ice is lower by the share that is lost", () => {
  const safe = team({});
  assert.ok(Math.abs(iceHeight(safe, 0.25) - 0.75 * wholeIce(safe)) < 1e-12);
  assert.ok(wholeIce(safe) > wholeIce(team({ cube: cube({ safety: 0 }) })));
  assert.ok(wholeIce(team({ cube: cube({ safety: 0 }) })) > 0);
  assert.equal(wholeIce(team({ cube: null })), 0);
});

test("the tallest column is that of whoever found the most", () => {
  const state = { mostFound: 8 } as State;
  assert.equal(columnHeight(team({ found: 8 }), state), COLUMN_HEIGHT);
  assert.equal(columnHeight(team({ found: 2 }), state), COLUMN_HEIGHT / 4);
  assert.equal(columnHeight(team({}), { mostFound: 0 } as State), 0);
});

test("every team has a place of its own, however many there are", () => {
  for (const count of [1, 2, 3, 20, 26, 27, 50, 120, 300]) {
    const places = teamPlaces(count);
    assert.equal(places.length, count);
    const solids = places.flatMap((place) => Object.values(columnAndIce(place)));
    for (let one = 0; one < solids.length; one++) {
      for (let other = one + 1; other < solids.length; other++) {
        const apart = Math.hypot(solids[one]!.x - solids[other]!.x, solids[one]!.z - solids[other]!.z);
        assert.ok(apart > 0.68, `${count} teams: ${one} and ${other} are ${apart} apart`);
      }
    }
  }
});

test("the axis of ranks names the first and the last, and not too many", () => {
  assert.deepEqual(rankTicks(0), []);
  assert.deepEqual(rankTicks(1), [1]);
  assert.deepEqual(rankTicks(3), [1, 2, 3]);
  assert.deepEqual(rankTicks(20), [1, 5, 10, 15, 20]);
  for (let ranked = 1; ranked < 400; ranked++) {
    const ticks = rankTicks(ranked);
    assert.equal(ticks[0], 1);
    assert.equal(ticks.at(-1), ranked);
    assert.ok(ticks.length <= 8, String(ranked));
  }
});

function boxes(spots: Declutter, count: number): number[][] {
  return Array.from({ length: count }, (_, label) => label)
    .filter((label) => spots.side[label] !== HIDDEN)
    .map((label) => {
      const x = spots.x[label]! + spots.dx[label]!;
      const y = spots.y[label]! + spots.dy[label]!;
      return [x - spots.width[label]! / 2, y - spots.height[label]! / 2, x + spots.width[label]! / 2, y + spots.height[label]! / 2];
    });
}

test("labels that are shown do not touch, and stay in the picture", () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 50; round++) {
    const count = 60;
    const spots = new Declutter(count);
    const order = Uint16Array.from({ length: count }, (_, label) => label);
    for (let label = 0; label < count; label++) {
      spots.x[label] = random() * 400;
      spots.y[label] = random() * 300;
      [spots.width[label], spots.height[label], spots.gap[label], spots.wanted[label]] = [60, 18, 5, 1];
    }
    spots.place(order, count, 400, 300);
    const shown = boxes(spots, count);
    assert.ok(shown.length >= 8);
    shown.forEach(([left, top, right, bottom], one) => {
      assert.ok(left! >= 0 && top! >= 0 && right! <= 400 && bottom! <= 300);
      for (const [l, t, r, b] of shown.slice(one + 1)) {
        assert.ok(left! >= r! || right! <= l! || top! >= b! || bottom! <= t!);
      }
    });
  }
});

test("a label keeps its side as long as there is room, and the first ones choose first", () => {
  const spots = new Declutter(2);
  const order = Uint16Array.from([0, 1]);
  for (const label of [0, 1]) {
    [spots.x[label], spots.y[label], spots.width[label], spots.height[label], spots.gap[label], spots.wanted[label]] = [100, 100, 40, 10, 3, 1];
  }
  spots.place(order, 2, 200, 200);
  const before = [...spots.side];
  assert.deepEqual(before, [0, 3], "over the point, and under it");
  spots.wanted[0] = 0;
  spots.place(order, 2, 200, 200);
  assert.deepEqual([...spots.side], [HIDDEN, 3]);
});

test("the name of an axis is moved into the picture, unless it is far away", () => {
  const spots = new Declutter(2);
  const order = Uint16Array.from([0, 1]);
  for (const label of [0, 1]) {
    [spots.width[label], spots.height[label], spots.wanted[label], spots.fixed[label], spots.y[label]] = [60, 10, 1, 1, 50];
  }
  [spots.x[0], spots.x[1]] = [10, 300];
  spots.place(order, 2, 200, 100);
  assert.equal(spots.x[0]! + spots.dx[0]!, 31);
  assert.deepEqual([...spots.side], [0, HIDDEN]);
});

function told(minutes: number[], until: number): ReturnType<typeof tell> {
  const time = (minute: number): string => new Date(minute * 60000).toISOString();
  const lines = minutes.map((minute, team) => ({ t: time(minute), kind: "team", team, name: "" }) as Line);
  return tell({ header: { until: time(until) } as Header, lines });
}

test("a replay goes from the beginning to the end, and back to each moment", () => {
  const course = new Course(told([0, 10, 20, 30, 40, 50], 60), 120);
  assert.equal(course.at(0), 0);
  assert.equal(course.at(120), 60 * 60000);
  assert.equal(course.at(-5), 0);
  assert.equal(course.at(1e9), 60 * 60000);
  for (let second = 0; second <= 120; second += 7) {
    assert.ok(Math.abs(course.secondsOf(course.at(second)) - second) < 1e-6);
  }
});

test("a long night is short, and time never runs back", () => {
  const lively = Array.from({ length: 60 }, (_, minute) => minute);
  const course = new Course(told([...lively, 1000], 1001), 100);
  assert.ok(course.secondsOf(60 * 60000) > 50, "an hour of events takes more than half of the replay");
  let last = -1;
  for (let second = 0; second <= 100; second += 0.5) {
    assert.ok(course.at(second) > last);
    last = course.at(second);
  }
});

test("a story without time is shown as it is", () => {
  const course = new Course(told([5], 5), 100);
  assert.equal(course.seconds, 0);
  assert.equal(course.at(50), 5 * 60000);
});
