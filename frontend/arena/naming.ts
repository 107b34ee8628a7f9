/** Which labels the scene has, and what each of them follows. */

import { Vector3 } from "three";
import { ticks, type Tick } from "./floor.ts";
import { CUBE } from "./layout.ts";
import { MOST_LABELS, type Label, type Labels } from "./labels.ts";
import type { Palette } from "./palette.ts";
import type { TeamLooks } from "./placing.ts";
import type { Settings, View } from "./view.ts";
import type { State, Team } from "./types.ts";

export class Naming {
  private axis: Tick[] = [];
  private teams: Team[] = [];
  /** The place of each labeled team among all teams. */
  private places = new Int32Array(0);
  private readonly point = new Vector3();
  private readonly labels: Labels;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  /** Write the labels of a state; the most urgent ones find room first. */
  name(state: State, selected: number | null, settings: Settings, colors: Palette): void {
    const attack = state.scene === "attack";
    const urgency = (team: Team): number => {
      if (team.team === selected) return -2e9;
      if (team.team === settings.own) return -1e9;
      return attack ? -team.found - team.lost : (team.cube?.rank ?? 1e6);
    };
    this.axis = ticks(state, settings.texts);
    const most = MOST_LABELS - this.axis.length;
    this.teams = [...state.teams].sort((a, b) => urgency(a) - urgency(b)).slice(0, most);
    this.places = Int32Array.from(this.teams, (team) => state.teams.indexOf(team));
    const labels: Label[] = this.axis.map((tick) => tick.label);
    for (const team of this.teams) {
      const mine = team.team === settings.own || team.team === selected;
      labels.push({ text: words(team, attack), style: mine ? "own" : "team", fixed: false });
    }
    this.labels.show(labels, colors);
  }

  /** Let every label follow what it names. */
  anchor(view: View): void {
    for (let index = 0; index < this.axis.length; index++) {
      const tick = this.axis[index] as Tick;
      this.labels.anchor(index, tick.x, tick.y, tick.z, 0, view.blend < 0.5);
    }
    for (let index = 0; index < this.teams.length; index++) {
      const label = this.axis.length + index;
      if (view.state!.scene === "attack") {
        const look = view.looks[this.places[index] as number] as TeamLooks;
        this.labels.anchor(label, look.place.x, look.top + 0.12, look.place.z, 2, view.blend > 0.5);
      } else this.atCube(label, (this.teams[index] as Team).cube?.submission, view);
    }
  }

  private atCube(label: number, submission: number | undefined, view: View): void {
    const cube = submission === undefined ? undefined : view.indexOf.get(submission);
    if (cube === undefined) {
      this.labels.anchor(label, 0, 0, 0, 0, false);
      return;
    }
    const at = this.point;
    at.set(view.cubes.value(cube, 0), view.cubes.value(cube, 1) + CUBE / 2, view.cubes.value(cube, 2));
    const gap = view.pixels(view.rig.camera.position.distanceTo(at)) * CUBE * 0.62;
    this.labels.anchor(label, at.x, at.y, at.z, gap, view.blend < 0.5);
  }
}

function words(team: Team, attack: boolean): string {
  if (attack) return `${team.name}  ${team.found.toLocaleString()}`;
  return team.cube?.rank ? `${team.cube.rank}  ${team.name}` : team.name;
}
