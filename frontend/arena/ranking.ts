/** Who counts and who is first: the same rules as in the contest's table of results. */

import type { Better, Cube, Header, Metric } from "./types.ts";

/** Give every cube its utility loss and its safety: means over the metrics of that kind. */
export function measure(cubes: Cube[], metrics: Metric[]): void {
  const badness = metrics.map((metric) => ({ kind: metric.kind, of: scale(cubes, metric) }));
  for (const cube of cubes) {
    cube.loss = mean(badness.filter((one) => one.kind === "utility").map((one) => one.of(cube)));
    const risk = mean(badness.filter((one) => one.kind === "safety").map((one) => one.of(cube)));
    cube.safety = risk === null ? null : 1 - risk;
  }
}

/** Return a function from 0 (the best value of all cubes) to 1 (the worst one). */
function scale(cubes: Cube[], metric: Metric): (cube: Cube) => number | null {
  let low = Infinity;
  let high = -Infinity;
  for (const cube of cubes) {
    const value = cube.values[metric.name];
    if (value == null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return (cube) => {
    const value = cube.values[metric.name];
    if (value == null) return null;
    if (high === low) return 0.5;
    return metric.better === "lower" ? (value - low) / (high - low) : (high - value) / (high - low);
  };
}

function mean(values: (number | null)[]): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (const value of values) {
    // A submission that lacks a value has no place on the axis.
    if (value === null) return null;
    sum += value;
  }
  return sum / values.length;
}

/** Say which cube of each team counts, and give ranks; cubes come in the order of their ids. */
export function rank(cubes: Cube[], header: Header, chosen: Map<number, number>): number {
  const every = totals(cubes, header);
  const counting = choose(cubes, header, chosen, every);
  const among = header.by_ranks ? meanRanks(counting, header.metrics) : every;
  for (const cube of counting) {
    cube.counts = true;
    cube.total = among.get(cube) ?? null;
  }
  if (!header.ranked) return 0;
  const placed = sorted(counting.map((cube) => among.get(cube)), header.better);
  const openly = sorted(counting.map((cube) => every.get(cube)), header.better);
  for (const cube of cubes) {
    const own = cube.counts ? among.get(cube) : every.get(cube);
    cube.rank = own === undefined ? null : 1 + better(cube.counts ? placed : openly, own, header.better);
  }
  return placed.length;
}

function totals(cubes: Cube[], header: Header): Map<Cube, number> {
  if (header.by_ranks) return meanRanks(cubes, header.metrics);
  const found = new Map<Cube, number>();
  for (const cube of cubes) if (cube.total !== null) found.set(cube, cube.total);
  return found;
}

function choose(
  cubes: Cube[],
  header: Header,
  chosen: Map<number, number>,
  total: Map<Cube, number>,
): Cube[] {
  const of = new Map<number, Cube>();
  for (const cube of cubes) {
    const before = of.get(cube.team);
    if (before === undefined || replaces(cube, before, header, chosen, total)) of.set(cube.team, cube);
  }
  return [...of.values()];
}

/** Tell whether a later submission counts instead of an earlier one. */
function replaces(
  later: Cube,
  earlier: Cube,
  header: Header,
  chosen: Map<number, number>,
  total: Map<Cube, number>,
): boolean {
  if (header.counts === "chosen") return chosen.get(later.team) !== earlier.submission;
  if (header.counts === "latest") return true;
  const [old, own] = [total.get(earlier), total.get(later)];
  if (old === undefined) return true;
  return own !== undefined && isBetter(own, old, header.better);
}

/** Rank the cubes that have every value in each column, and take the mean of the places. */
function meanRanks(cubes: Cube[], metrics: Metric[]): Map<Cube, number> {
  const complete = cubes.filter(
    (cube) => metrics.length > 0 && metrics.every((metric) => cube.values[metric.name] != null),
  );
  const sums = new Map<Cube, number>(complete.map((cube) => [cube, 0]));
  for (const metric of metrics) {
    const column = sorted(complete.map((cube) => cube.values[metric.name]), metric.better);
    for (const cube of complete) {
      const place = 1 + better(column, cube.values[metric.name] as number, metric.better);
      sums.set(cube, (sums.get(cube) as number) + place);
    }
  }
  for (const [cube, places] of sums) sums.set(cube, places / metrics.length);
  return sums;
}

function isBetter(one: number, other: number, direction: Better): boolean {
  return direction === "lower" ? one < other : one > other;
}

function sorted(values: (number | null | undefined)[], direction: Better): number[] {
  const there = values.filter((value): value is number => value != null);
  return there.sort((a, b) => (direction === "lower" ? a - b : b - a));
}

/** Count the values that are better than a value, in a list that is sorted best first. */
function better(values: number[], value: number, direction: Better): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBetter(values[middle] as number, value, direction)) low = middle + 1;
    else high = middle;
  }
  return low;
}
