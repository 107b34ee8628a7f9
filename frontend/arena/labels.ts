/** All labels in one draw call: texts drawn once into a picture, shown at their size in pixels. */

import {
  CanvasTexture,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  LinearFilter,
  Mesh,
  type PerspectiveCamera,
  PlaneGeometry,
  ShaderMaterial,
  Vector2,
  Vector3,
} from "three";
import { Declutter, HIDDEN } from "./declutter.ts";
import type { Palette } from "./palette.ts";

const COLUMNS = 4;
const ROWS = 40;
export const MOST_LABELS = COLUMNS * ROWS;
const CELL_WIDTH = 190;
const LINE = 1.5;
const FADE = 9;
const FONT = 'system-ui, "Hiragino Sans", "Yu Gothic UI", "Noto Sans JP", "Noto Sans CJK JP", sans-serif';

const VERTEX = `
attribute vec3 aAnchor;
attribute vec4 aBox;
attribute vec4 aCut;
attribute float aAlpha;
uniform vec2 uView;
varying vec2 vUv;
varying float vAlpha;
void main() {
  vec4 clip = projectionMatrix * viewMatrix * vec4(aAnchor, 1.0);
  clip.xy += (position.xy * aBox.zw + vec2(aBox.x, -aBox.y)) / uView * 2.0 * clip.w;
  vUv = aCut.xy + (position.xy + 0.5) * aCut.zw;
  vAlpha = aAlpha;
  gl_Position = aAlpha < 0.01 ? vec4(2.0, 2.0, 2.0, 1.0) : clip;
}`;
const FRAGMENT = `
uniform sampler2D uPicture;
varying vec2 vUv;
varying float vAlpha;
void main() {
  vec4 texel = texture2D(uPicture, vUv);
  gl_FragColor = texel * vAlpha;
}`;

export interface Label {
  text: string;
  style: "team" | "own" | "axis" | "tick";
  /** Labels of axes stand still; those of teams look for room. */
  fixed: boolean;
}

export class Labels {
  readonly mesh: Mesh;
  readonly spots = new Declutter(MOST_LABELS);
  private readonly anchors = new Float32Array(MOST_LABELS * 3);
  private readonly boxes = new Float32Array(MOST_LABELS * 4);
  private readonly cuts = new Float32Array(MOST_LABELS * 4);
  private readonly alphas = new Float32Array(MOST_LABELS);
  private readonly attributes: InstancedBufferAttribute[];
  private readonly drawn: string[] = new Array<string>(MOST_LABELS).fill("");
  private readonly order = new Uint16Array(MOST_LABELS);
  private readonly canvas = document.createElement("canvas");
  private readonly picture: CanvasTexture;
  private readonly material: ShaderMaterial;
  private readonly point = new Vector3();
  private readonly view = new Vector2(1, 1);
  private count = 0;
  private size = 13;
  private ratio = 1;

  constructor() {
    const geometry = new InstancedBufferGeometry();
    const plane = new PlaneGeometry(1, 1);
    geometry.index = plane.index;
    geometry.setAttribute("position", plane.attributes["position"]!);
    const parts: [string, Float32Array, number][] = [
      ["aAnchor", this.anchors, 3], ["aBox", this.boxes, 4], ["aCut", this.cuts, 4], ["aAlpha", this.alphas, 1],
    ];
    this.attributes = parts.map(([name, array, size]) => {
      const attribute = new InstancedBufferAttribute(array, size);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
      return attribute;
    });
    geometry.instanceCount = MOST_LABELS;
    this.picture = new CanvasTexture(this.canvas);
    this.picture.minFilter = LinearFilter;
    this.picture.generateMipmaps = false;
    this.picture.premultiplyAlpha = true;
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      premultipliedAlpha: true,
      depthTest: false,
      depthWrite: false,
      uniforms: { uPicture: { value: this.picture }, uView: { value: this.view } },
    });
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
  }

  /** Set the size of letters, and forget what was drawn in another size or color. */
  restyle(size: number, ratio: number): void {
    this.size = size;
    this.ratio = ratio;
    this.canvas.width = Math.ceil(COLUMNS * CELL_WIDTH * (size / 13) * ratio);
    this.canvas.height = Math.ceil(ROWS * size * LINE * ratio);
    this.picture.dispose();
    this.drawn.fill("");
  }

  /** Show these labels; the first ones choose their place first. */
  show(labels: Label[], colors: Palette): void {
    let changed = false;
    this.count = Math.min(labels.length, MOST_LABELS);
    for (let index = 0; index < this.count; index++) {
      const label = labels[index] as Label;
      const key = `${label.style} ${label.text} ${colors.text}`;
      this.order[index] = index;
      this.spots.fixed[index] = label.fixed ? 1 : 0;
      if (this.drawn[index] === key) continue;
      this.drawn[index] = key;
      this.draw(index, label, colors);
      changed = true;
    }
    for (let index = this.count; index < MOST_LABELS; index++) this.alphas[index] = 0;
    if (changed) this.picture.needsUpdate = true;
  }

  /** Put a label at a point of the scene; `gap` pixels are kept free around the point. */
  anchor(index: number, x: number, y: number, z: number, gap: number, wanted: boolean): void {
    this.anchors[index * 3] = x;
    this.anchors[index * 3 + 1] = y;
    this.anchors[index * 3 + 2] = z;
    this.spots.gap[index] = gap;
    this.spots.wanted[index] = wanted ? 1 : 0;
  }

  /** Find room for all labels, and fade those in and out that appear and go. */
  step(camera: PerspectiveCamera, width: number, height: number, seconds: number): boolean {
    this.view.set(width, height);
    for (let index = 0; index < this.count; index++) {
      this.point.fromArray(this.anchors, index * 3).project(camera);
      this.spots.x[index] = ((this.point.x + 1) / 2) * width;
      this.spots.y[index] = ((1 - this.point.y) / 2) * height;
      if (this.point.z > 1) this.spots.wanted[index] = 0;
    }
    this.spots.place(this.order, this.count, width, height);
    let fading = false;
    const share = Math.min(1, seconds * FADE);
    for (let index = 0; index < this.count; index++) {
      const goal = this.spots.side[index] === HIDDEN ? 0 : 1;
      const way = goal - (this.alphas[index] as number);
      if (Math.abs(way) > 0.02) fading = true;
      this.alphas[index] = Math.abs(way) > 0.02 ? (this.alphas[index] as number) + way * share : goal;
      if (goal) {
        this.boxes[index * 4] = this.spots.dx[index] as number;
        this.boxes[index * 4 + 1] = this.spots.dy[index] as number;
      }
    }
    for (let index = 0; index < this.attributes.length; index++) this.attributes[index]!.needsUpdate = true;
    return fading;
  }

  get shown(): number {
    return this.alphas.reduce((sum, alpha) => sum + (alpha > 0.5 ? 1 : 0), 0);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.picture.dispose();
  }

  private draw(index: number, label: Label, colors: Palette): void {
    const brush = this.canvas.getContext("2d")!;
    const cellWidth = this.canvas.width / COLUMNS;
    const cellHeight = this.canvas.height / ROWS;
    const left = (index % COLUMNS) * cellWidth;
    const top = Math.floor(index / COLUMNS) * cellHeight;
    brush.clearRect(left, top, cellWidth, cellHeight);
    const strong = label.style === "own" ? "700" : label.style === "team" ? "600" : "400";
    const size = this.size * (label.style === "tick" ? 0.88 : 1) * this.ratio;
    brush.font = `${strong} ${size}px ${FONT}`;
    brush.textBaseline = "middle";
    brush.lineJoin = "round";
    const pad = this.size * 0.3 * this.ratio;
    const text = shortened(label.text, cellWidth - 2 * pad, brush);
    const width = Math.min(cellWidth, brush.measureText(text).width + 2 * pad);
    brush.lineWidth = this.size * 0.26 * this.ratio;
    brush.strokeStyle = colors.halo;
    brush.strokeText(text, left + pad, top + cellHeight / 2);
    brush.fillStyle = label.style === "team" || label.style === "own" ? colors.text : colors.quiet;
    brush.fillText(text, left + pad, top + cellHeight / 2);
    if (label.style === "own") brush.fillRect(left + pad, top + cellHeight * 0.92, width - 2 * pad, 2 * this.ratio);
    this.spots.width[index] = width / this.ratio;
    this.spots.height[index] = cellHeight / this.ratio;
    this.boxes[index * 4 + 2] = width / this.ratio;
    this.boxes[index * 4 + 3] = cellHeight / this.ratio;
    this.cuts.set(
      [left / this.canvas.width, 1 - (top + cellHeight) / this.canvas.height, width / this.canvas.width, cellHeight / this.canvas.height],
      index * 4,
    );
  }
}

function shortened(text: string, most: number, brush: CanvasRenderingContext2D): string {
  if (brush.measureText(text).width <= most) return text;
  const letters = [...text];
  while (letters.length > 1 && brush.measureText(`${letters.join("")}…`).width > most) letters.pop();
  return `${letters.join("")}…`;
}
