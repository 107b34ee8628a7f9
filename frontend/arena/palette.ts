/** The colors of ice and fire, on light and on dark ground; all of them are display values. */

export type Rgb = readonly [number, number, number];

export interface Palette {
  ground: Rgb;
  floor: Rgb;
  line: Rgb;
  text: string;
  halo: string;
  quiet: string;
  /** Ice from the least safe to the safest. */
  ice: readonly Rgb[];
  iceEdge: Rgb;
  /** Columns from low to tall. */
  fire: readonly Rgb[];
  fireEdge: Rgb;
  flame: Rgb;
  /** A submission that does not count, and one without scores. */
  other: Rgb;
  own: Rgb;
}

function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

const LIGHT: Palette = {
  ground: rgb("#ffffff"),
  floor: rgb("#edf1f5"),
  line: rgb("#bcc7d2"),
  text: "#1d2733",
  halo: "#ffffff",
  quiet: "#55626f",
  ice: [rgb("#b9def2"), rgb("#4d9bd0"), rgb("#0b3c5d")],
  iceEdge: rgb("#ffffff"),
  fire: [rgb("#fdae6b"), rgb("#e8660c"), rgb("#a63603")],
  fireEdge: rgb("#fff1e6"),
  flame: rgb("#d94801"),
  other: rgb("#b4c0cb"),
  own: rgb("#1b7f79"),
};

const DARK: Palette = {
  ground: rgb("#12181f"),
  floor: rgb("#19212a"),
  line: rgb("#3b4855"),
  text: "#e8edf2",
  halo: "#12181f",
  quiet: "#a5b1bd",
  ice: [rgb("#234a66"), rgb("#4a9bd1"), rgb("#bfe6fb")],
  iceEdge: rgb("#e6f4fb"),
  fire: [rgb("#a3460f"), rgb("#e8660c"), rgb("#ffb066")],
  fireEdge: rgb("#fff1e6"),
  flame: rgb("#fd8d3c"),
  other: rgb("#4a5866"),
  own: rgb("#4fb8b0"),
};

export function palette(dark: boolean): Palette {
  return dark ? DARK : LIGHT;
}

/** Return a color of a ramp, at a share from 0 to 1. */
export function shade(ramp: readonly Rgb[], share: number): Rgb {
  const place = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const index = Math.min(Math.floor(place), ramp.length - 2);
  return mix(ramp[index] as Rgb, ramp[index + 1] as Rgb, place - index);
}

export function mix(one: Rgb, other: Rgb, share: number): Rgb {
  return [0, 1, 2].map(
    (channel) => (one[channel] as number) * (1 - share) + (other[channel] as number) * share,
  ) as unknown as Rgb;
}
