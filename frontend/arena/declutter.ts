/** Labels that do not collide: each goes beside its point where there is room, or is not shown. */

/** Where a label can stand: over its point, right of it, left of it, under it. */
const SIDES = 4;
export const HIDDEN = -1;

/** Works on numbers alone, so that it can run in every frame and leave nothing to collect. */
export class Declutter {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly width: Float32Array;
  readonly height: Float32Array;
  /** How far the label stays away from its point. */
  readonly gap: Float32Array;
  /** Fixed labels stay where they are, and the others make room. */
  readonly fixed: Uint8Array;
  readonly wanted: Uint8Array;
  /** The answer: the side, or HIDDEN, and the label's center relative to its point. */
  readonly side: Int8Array;
  readonly dx: Float32Array;
  readonly dy: Float32Array;
  private readonly taken: Float32Array;
  private count = 0;

  constructor(capacity: number) {
    const floats = (): Float32Array => new Float32Array(capacity);
    [this.x, this.y, this.width, this.height, this.gap, this.dx, this.dy] = [
      floats(), floats(), floats(), floats(), floats(), floats(), floats(),
    ];
    this.fixed = new Uint8Array(capacity);
    this.wanted = new Uint8Array(capacity);
    this.side = new Int8Array(capacity).fill(HIDDEN);
    this.taken = new Float32Array(capacity * 4);
  }

  /** Place the labels in their order: the first ones choose first. */
  place(order: Uint16Array, count: number, right: number, bottom: number): void {
    this.count = 0;
    for (let turn = 0; turn < count; turn++) {
      const label = order[turn] as number;
      if (!this.wanted[label]) {
        this.side[label] = HIDDEN;
        continue;
      }
      // The side of the last frame comes first, so that labels do not jump.
      const before = Math.max(0, this.side[label] as number);
      this.side[label] = HIDDEN;
      const sides = this.fixed[label] ? 1 : SIDES;
      for (let trial = 0; trial < sides; trial++) {
        if (this.fits(label, this.fixed[label] ? 0 : (before + trial) % SIDES, right, bottom)) break;
      }
    }
  }

  private fits(label: number, side: number, right: number, bottom: number): boolean {
    const width = this.width[label] as number;
    const height = this.height[label] as number;
    const gap = this.gap[label] as number;
    let dx = 0;
    let dy = 0;
    if (side === 0) dy = -(gap + height / 2);
    else if (side === 1) dx = gap + width / 2;
    else if (side === 2) dx = -(gap + width / 2);
    else dy = gap + height / 2;
    if (this.fixed[label]) {
      // What names an axis is moved into the picture rather than left out.
      dx = inside(this.x[label] as number, width, right);
      dy = inside(this.y[label] as number, height, bottom);
    }
    const left = (this.x[label] as number) + dx - width / 2;
    const top = (this.y[label] as number) + dy - height / 2;
    if (left < 0 || top < 0 || left + width > right || top + height > bottom) return false;
    for (let index = 0; index < this.count; index++) {
      const at = index * 4;
      if (
        left < (this.taken[at + 2] as number) && left + width > (this.taken[at] as number) &&
        top < (this.taken[at + 3] as number) && top + height > (this.taken[at + 1] as number)
      ) return false;
    }
    const at = this.count * 4;
    this.taken[at] = left;
    this.taken[at + 1] = top;
    this.taken[at + 2] = left + width;
    this.taken[at + 3] = top + height;
    this.count += 1;
    this.side[label] = side;
    this.dx[label] = dx;
    this.dy[label] = dy;
    return true;
  }
}

/** Return how far a label must be moved to be in the picture; one whose point is far away stays. */
function inside(center: number, size: number, end: number): number {
  if (center < -size / 2 || center > end + size / 2) return 0;
  return Math.min(Math.max(center, size / 2 + 1), end - size / 2 - 1) - center;
}
