/** Fire: rings that run over the floor from an attacker to a defender. */

import {
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  PlaneGeometry,
  ShaderMaterial,
} from "three";
import type { Point } from "./layout.ts";
import type { Rgb } from "./palette.ts";

/** As many as burn at the same time; the oldest makes room. */
const MOST = 16;
const SPEED = 5.5;
const AFTERGLOW = 0.5;
/** How far a ring is seen before its front. */
const MARGIN = 0.2;

const VERTEX = `
attribute vec4 aRipple;
varying vec2 vAt;
varying vec2 vFloor;
varying vec4 vRipple;
void main() {
  // Where on the floor, seen from the attacker.
  vAt = (instanceMatrix * vec4(position, 0.0)).xz;
  vRipple = aRipple;
  vec4 world = modelMatrix * instanceMatrix * vec4(position, 1.0);
  vFloor = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

// aRipple: radius, strength, and the direction of the defender, where the ring burns brightest.
const FRAGMENT = `
uniform vec3 uFlame;
uniform vec3 uEmber;
uniform float uFloor;
varying vec2 vAt;
varying vec2 vFloor;
varying vec4 vRipple;
void main() {
  float from = length(vAt);
  float behind = vRipple.x - from;
  float front = smoothstep(-0.12, 0.02, behind) * (1.0 - smoothstep(0.0, 0.42, behind));
  float second = smoothstep(0.55, 0.72, behind) * (1.0 - smoothstep(0.72, 1.05, behind)) * 0.45;
  float wake = step(0.0, behind) * (1.0 - smoothstep(0.0, 2.4, behind)) * 0.16;
  float toward = max(dot(normalize(vAt + 1e-5), vRipple.zw), 0.0);
  float bright = 0.16 + 0.84 * pow(toward, 10.0);
  float inside = 1.0 - smoothstep(uFloor - 0.5, uFloor, length(vFloor));
  float alpha = (front + second + wake) * bright * inside * vRipple.y;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(mix(uFlame, uEmber, front * toward), alpha);
}`;

export interface Ripple {
  attacker: number;
  defender: number;
  radius: number;
  reach: number;
  burns: boolean;
  arrived: boolean;
}

export class Ripples {
  readonly mesh: InstancedMesh;
  readonly burning: Ripple[];
  started = 0;
  private readonly material: ShaderMaterial;
  private readonly look: InstancedBufferAttribute;
  private next = 0;

  constructor() {
    const geometry = new PlaneGeometry(2, 2);
    geometry.rotateX(-Math.PI / 2);
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: { uFlame: { value: new Color() }, uEmber: { value: new Color() }, uFloor: { value: 1 } },
    });
    this.mesh = new InstancedMesh(geometry, this.material, MOST);
    this.mesh.frustumCulled = false;
    this.mesh.count = MOST;
    this.mesh.visible = false;
    this.look = new InstancedBufferAttribute(new Float32Array(MOST * 4), 4);
    this.look.setUsage(DynamicDrawUsage);
    geometry.setAttribute("aRipple", this.look);
    this.mesh.instanceMatrix.array.fill(0);
    this.burning = Array.from({ length: MOST }, () => ({
      attacker: 0, defender: 0, radius: 0, reach: 0, burns: false, arrived: false,
    }));
  }

  colors(flame: Rgb, ember: Rgb): void {
    (this.material.uniforms["uFlame"]!.value as Color).setRGB(...flame);
    (this.material.uniforms["uEmber"]!.value as Color).setRGB(...ember);
  }

  /** Say how far the floor goes, over whose edge no fire runs. */
  floor(radius: number): void {
    this.material.uniforms["uFloor"]!.value = radius;
  }

  start(attacker: number, defender: number, from: Point, to: Point): void {
    const index = this.next;
    this.next = (index + 1) % MOST;
    this.started += 1;
    const reach = Math.hypot(to.x - from.x, to.z - from.z);
    Object.assign(this.burning[index] as Ripple, {
      attacker, defender, reach, radius: 0, burns: true, arrived: false,
    });
    const matrix = this.mesh.instanceMatrix.array;
    const at = index * 16;
    matrix[at + 5] = 1;
    matrix[at + 12] = from.x;
    matrix[at + 13] = 0.02 + index * 0.0005;
    matrix[at + 14] = from.z;
    matrix[at + 15] = 1;
    this.look.array[at / 4 + 2] = (to.x - from.x) / reach;
    this.look.array[at / 4 + 3] = (to.z - from.z) / reach;
  }

  /** Let the rings grow; `arrive` is called for each that reaches its defender. */
  step(seconds: number, arrive: (ripple: Ripple) => void): boolean {
    let burning = false;
    for (let index = 0; index < MOST; index++) {
      const ripple = this.burning[index] as Ripple;
      if (!ripple.burns) continue;
      burning = true;
      ripple.radius += seconds * SPEED;
      const beyond = ripple.radius - ripple.reach;
      if (beyond >= 0 && !ripple.arrived) {
        ripple.arrived = true;
        arrive(ripple);
      }
      const strength = Math.min(1, ripple.radius * 2) * (1 - Math.max(0, beyond) / (AFTERGLOW * SPEED));
      this.mesh.instanceMatrix.array[index * 16] = ripple.radius + MARGIN;
      this.mesh.instanceMatrix.array[index * 16 + 10] = ripple.radius + MARGIN;
      this.look.array[index * 4] = ripple.radius;
      this.look.array[index * 4 + 1] = Math.max(0, strength);
      if (strength <= 0) this.end(index);
    }
    if (burning) this.look.needsUpdate = this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.visible = burning;
    return burning;
  }

  /** Put everything out, as when somebody jumps to another time. */
  clear(): void {
    for (let index = 0; index < MOST; index++) this.end(index);
    this.mesh.visible = false;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.mesh.dispose();
  }

  private end(index: number): void {
    (this.burning[index] as Ripple).burns = false;
    this.mesh.instanceMatrix.array[index * 16] = 0;
    this.mesh.instanceMatrix.array[index * 16 + 10] = 0;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
