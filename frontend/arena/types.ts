/** The story of a contest as the server and `events.jsonl` tell it, and the state at one moment. */

export type Language = "en" | "ja";
export type Better = "lower" | "higher";
export type Phase = "anonymize" | "break" | "attack" | "closed" | null;

export interface Metric {
  name: string;
  title: Record<Language, string>;
  kind: "utility" | "safety" | "total";
  better: Better;
}

export interface Header {
  kind: "story";
  version: number;
  title: Record<Language, string>;
  /** Which submission of a team counts. */
  counts: "best" | "latest" | "chosen";
  /** Which totals are the better ones. */
  better: Better;
  /** The total is the mean of the ranks in all columns. */
  by_ranks: boolean;
  /** Whether the viewer sees everybody, so that a rank means something. */
  ranked: boolean;
  frozen: string | null;
  /** Up to when the story is told. */
  until: string;
  metrics: Metric[];
}

export interface TeamLine { t: string; kind: "team"; team: number; name: string }
export interface PhaseLine { t: string; kind: "phase"; phase: Phase }
export interface SubmissionLine {
  t: string;
  kind: "submission";
  team: number;
  submission: number;
  total: number | null;
  values: Record<string, number | null>;
}
export interface ChooseLine { t: string; kind: "choose"; team: number; submission: number }
export interface WithdrawLine { t: string; kind: "withdraw"; team: number; submission: number }
export interface GuessLine {
  t: string;
  kind: "guess";
  attacker: number;
  defender: number;
  hits: number;
  total: number;
  success: number;
}
export type Line = TeamLine | PhaseLine | SubmissionLine | ChooseLine | WithdrawLine | GuessLine;

export interface Story { header: Header; lines: Line[] }

/** A submission in the scene. */
export interface Cube {
  submission: number;
  team: number;
  values: Record<string, number | null>;
  total: number | null;
  /** 0 is the best that was seen so far, 1 the worst. */
  loss: number | null;
  /** 1 is the best that was seen so far, 0 the worst. */
  safety: number | null;
  counts: boolean;
  /** The team's place; of a submission that does not count, the place that it would have. */
  rank: number | null;
}

export interface Team {
  team: number;
  name: string;
  /** The submission that counts. */
  cube: Cube | null;
  /** Rows or customers that the team has named, with its best guess against each other team. */
  found: number;
  /** The share of this team's data that the best guess against it named. */
  lost: number;
  lostTo: number | null;
}

export interface State {
  /** Milliseconds since 1970. */
  t: number;
  phase: Phase;
  /** What is shown: cubes by their scores, or the attack. */
  scene: "anonymize" | "attack";
  teams: Team[];
  cubes: Cube[];
  /** How many teams have a rank, and the largest number found. */
  ranked: number;
  mostFound: number;
}

export type Texts = Record<string, string>;

export interface Options {
  texts: Texts;
  language: Language;
  /** The viewer's team. */
  own?: number | null;
  story?: Story;
  /** Where to ask for the story; without it the story is told from beginning to end. */
  live?: string;
  /** Seconds that a whole replay takes. */
  seconds?: number;
  projector?: boolean;
}
