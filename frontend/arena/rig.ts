/** The camera: by itself, by hand, or after a team. */

import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { State } from "./types.ts";
import { rings } from "./layout.ts";

const VIEW = 36;
const EASE = 2.2;
/** The automatic camera swings before the box, whose axes it must not turn around, and circles the rings. */
const SWING = 0.42;
const SWING_SECONDS = 36;
const ROUND_SECONDS = 110;
const CLOSE_BY = 14;

export class Rig {
  readonly camera = new PerspectiveCamera(VIEW, 1, 0.1, 200);
  readonly controls: OrbitControls;
  automatic = true;
  private readonly goal = new Vector3();
  private readonly wanted = new Vector3();
  private readonly followed = new Vector3();
  private following = false;
  private distance = 22;
  private height = 0.5;
  private attack = false;
  private seconds = 0;
  private settled = false;

  constructor(element: HTMLElement, byHand: () => void) {
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = Math.PI * 0.495;
    this.controls.minDistance = 3;
    this.controls.maxDistance = 80;
    this.controls.listenToKeyEvents(element);
    this.controls.addEventListener("start", byHand);
  }

  /** Look at what the state shows. */
  frame(state: State): void {
    this.attack = state.scene === "attack";
    const radii = rings(Math.max(1, state.teams.length));
    const wide = this.attack ? (radii[radii.length - 1] as number) + 1.6 : 8;
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    this.distance = (wide / half) * Math.max(1.06 / this.camera.aspect, this.attack ? 0.97 : 0.95);
    this.height = this.attack ? 0.62 : 0.42;
    this.goal.set(0, this.attack ? 0.7 : 2.4, 0);
    this.settled = false;
  }

  follow(place: Vector3 | null): void {
    this.following = place !== null;
    if (place) this.followed.copy(place);
    this.settled = false;
  }

  /** Stand where the automatic camera would be, at once. */
  jump(): void {
    this.aim();
    this.camera.position.copy(this.wanted);
    this.controls.target.copy(this.following ? this.followed : this.goal);
    this.controls.update();
  }

  step(seconds: number, calm: boolean): boolean {
    if (this.automatic) {
      if (!calm) this.seconds += seconds;
      this.aim();
      return this.ease(calm ? 1 : 1 - Math.exp(-EASE * seconds)) || !calm;
    }
    if (this.following && !this.settled) {
      const before = this.controls.target;
      this.wanted.copy(this.followed).sub(before);
      if (this.wanted.lengthSq() < 1e-5) this.settled = true;
      this.wanted.multiplyScalar(calm ? 1 : 1 - Math.exp(-EASE * seconds));
      before.add(this.wanted);
      this.camera.position.add(this.wanted);
      this.controls.update();
      return true;
    }
    return false;
  }

  private ease(share: number): boolean {
    const before = this.camera.position.distanceToSquared(this.wanted);
    this.camera.position.lerp(this.wanted, share);
    this.controls.target.lerp(this.following ? this.followed : this.goal, share);
    this.controls.update();
    return before > 1e-6;
  }

  private aim(): void {
    const turn = this.attack
      ? 0.5 + (this.seconds / ROUND_SECONDS) * 2 * Math.PI
      : 0.55 + Math.sin((this.seconds / SWING_SECONDS) * 2 * Math.PI) * SWING;
    const near = this.following ? CLOSE_BY : this.distance;
    const middle = this.following ? this.followed : this.goal;
    const flat = Math.cos(this.height) * near;
    this.wanted.set(Math.sin(turn) * flat, Math.sin(this.height) * near, Math.cos(turn) * flat).add(middle);
  }

  dispose(): void {
    this.controls.dispose();
  }
}
