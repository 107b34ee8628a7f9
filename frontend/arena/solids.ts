/** Many boxes or columns in one draw call, each on its way from where it is to where it belongs. */

import {
  type BufferGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  ShaderMaterial,
  Vector3,
} from "three";
import type { Point } from "./layout.ts";
import type { Rgb } from "./palette.ts";

const VERTEX = `
attribute vec4 aLook;
varying vec3 vWorld;
varying vec3 vSeen;
varying vec3 vLocal;
varying vec2 vUv;
varying vec4 vLook;
void main() {
  vec4 world = modelMatrix * instanceMatrix * vec4(position, 1.0);
  vWorld = world.xyz;
  vec4 seen = viewMatrix * world;
  vSeen = seen.xyz;
  vLocal = position;
  vUv = uv;
  vLook = aLook;
  gl_Position = projectionMatrix * seen;
}`;

// Lines along the edges have the same width in pixels however far away a solid is.
const FRAGMENT = `
uniform vec3 uLight;
uniform vec3 uEdge;
uniform vec3 uFlame;
uniform float uOpacity;
uniform float uSides;
uniform float uEdges;
varying vec3 vWorld;
varying vec3 vSeen;
varying vec3 vLocal;
varying vec2 vUv;
varying vec4 vLook;
void main() {
  vec3 normal = normalize(cross(dFdx(vWorld), dFdy(vWorld)));
  float lit = 0.66 + 0.30 * max(dot(normal, uLight), 0.0) + 0.14 * max(normal.y, 0.0);
  vec3 color = vLook.rgb * lit * (0.90 + 0.14 * (vLocal.y + 0.5));
  float rim = pow(1.0 - abs(dot(mat3(viewMatrix) * normal, normalize(vSeen))), 3.0);
  color = mix(color, uEdge, 0.22 * rim);
  bool side = abs(normal.y) < 0.5;
  vec2 cell = vec2(side ? fract(vUv.x * uSides) : 0.5, side || uSides < 2.0 ? vUv.y : 0.5);
  if (!side && uSides < 2.0) cell.x = vUv.x;
  vec2 away = min(cell, 1.0 - cell) / max(fwidth(vUv) * vec2(uSides, 1.0), 1e-5);
  float edge = 1.0 - smoothstep(0.6, 1.8, min(away.x, away.y));
  color = mix(color, uEdge, uEdges * edge);
  // What is hit burns from the top.
  float burn = smoothstep(1.0 - 1.1 * vLook.a, 1.05, vLocal.y + 0.5) * min(1.0, vLook.a * 4.0);
  color = mix(color, uFlame, burn);
  gl_FragColor = vec4(color, uOpacity * mix(1.0, 0.55 + 0.45 * edge, step(uOpacity, 0.99)));
}`;

/** x, y, z of the center of the floor face; three sizes; red, green, blue, glow. */
const CHANNELS = 10;
const GLOW = 9;
const NEAR = 0.0008;

export interface Look {
  place: Point;
  size: readonly [number, number, number];
  color: Rgb;
}

export class Solids {
  readonly mesh: InstancedMesh;
  readonly material: ShaderMaterial;
  count = 0;
  moving = false;
  private now: Float32Array;
  private goal: Float32Array;
  private look: InstancedBufferAttribute;

  constructor(geometry: BufferGeometry, capacity: number, sides: number, opacity = 1, edges = 0.5) {
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: opacity < 1,
      depthWrite: opacity === 1,
      uniforms: {
        uLight: { value: new Vector3(0.35, 0.75, 0.55).normalize() },
        uEdge: { value: new Color() },
        uFlame: { value: new Color() },
        uOpacity: { value: opacity },
        uSides: { value: sides },
        uEdges: { value: edges },
      },
    });
    this.mesh = new InstancedMesh(geometry, this.material, capacity);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.look = new InstancedBufferAttribute(new Float32Array(capacity * 4), 4);
    this.look.setUsage(DynamicDrawUsage);
    geometry.setAttribute("aLook", this.look);
    this.now = new Float32Array(capacity * CHANNELS);
    this.goal = new Float32Array(capacity * CHANNELS);
    // Only the diagonal and the place of a matrix ever change here.
    this.mesh.instanceMatrix.array.fill(0);
    for (let index = 0; index < capacity; index++) this.mesh.instanceMatrix.array[index * 16 + 15] = 1;
  }

  get capacity(): number {
    return this.now.length / CHANNELS;
  }

  colors(edge: Rgb, flame: Rgb): void {
    (this.material.uniforms["uEdge"]!.value as Color).setRGB(...edge);
    (this.material.uniforms["uFlame"]!.value as Color).setRGB(...flame);
  }

  /** Say where a solid belongs; a new one appears at `from`. */
  aim(index: number, look: Look, from?: Look): void {
    write(this.goal, index, look);
    if (index >= this.count) {
      this.count = index + 1;
      write(this.now, index, from ?? look);
      this.now[index * CHANNELS + GLOW] = 0;
    }
    this.moving = true;
  }

  /** Let a solid shrink to nothing where it is. */
  vanish(index: number): void {
    this.goal.fill(0, index * CHANNELS + 3, index * CHANNELS + 6);
    this.moving = true;
  }

  glow(index: number): void {
    this.now[index * CHANNELS + GLOW] = 1;
    this.moving = true;
  }

  /** Take over the solids of another set. */
  take(other: Solids): void {
    this.now.set(other.now);
    this.goal.set(other.goal);
    this.count = other.count;
    this.moving = true;
  }

  /** Move everything on; `share` is how much of the way is made now, 1 for all of it. */
  step(share: number): boolean {
    if (!this.moving) return false;
    let still = true;
    const matrix = this.mesh.instanceMatrix.array;
    const look = this.look.array;
    for (let index = 0; index < this.count; index++) {
      const at = index * CHANNELS;
      for (let channel = at; channel < at + CHANNELS; channel++) {
        const way = (this.goal[channel] as number) - (this.now[channel] as number);
        if (way > NEAR || way < -NEAR) {
          this.now[channel] = (this.now[channel] as number) + way * share;
          still = false;
        } else this.now[channel] = this.goal[channel] as number;
      }
      const to = index * 16;
      const height = this.now[at + 4] as number;
      matrix[to] = this.now[at + 3] as number;
      matrix[to + 5] = height;
      matrix[to + 10] = this.now[at + 5] as number;
      matrix[to + 12] = this.now[at] as number;
      matrix[to + 13] = (this.now[at + 1] as number) + height / 2;
      matrix[to + 14] = this.now[at + 2] as number;
      look[index * 4] = this.now[at + 6] as number;
      look[index * 4 + 1] = this.now[at + 7] as number;
      look[index * 4 + 2] = this.now[at + 8] as number;
      look[index * 4 + 3] = this.now[at + 9] as number;
    }
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.look.needsUpdate = true;
    this.moving = !still;
    return true;
  }

  /** Return one of: x, y, z of the foot, width, height, depth; as it is now or where it goes. */
  value(index: number, channel: number, goal = false): number {
    return (goal ? this.goal : this.now)[index * CHANNELS + channel] as number;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.mesh.dispose();
  }
}

function write(to: Float32Array, index: number, look: Look): void {
  const at = index * CHANNELS;
  to[at] = look.place.x;
  to[at + 1] = look.place.y;
  to[at + 2] = look.place.z;
  to.set(look.size, at + 3);
  to.set(look.color, at + 6);
}
