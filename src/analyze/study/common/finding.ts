/** A published statement as a study judges it; the same for all studies over a store. */

export type Verdict = "confirmed" | "refuted" | "insufficient";

export interface Claim {
  /** Key of the value, with its item: "A05.readWriteShare". */
  readonly key: string;
  readonly text: string;
  readonly published: number | null;
  readonly measured: number;
  readonly interval: readonly [number, number];
  /** `above` or `below` this. */
  readonly side: "above" | "below";
  readonly bound: number;
  readonly state: "holds" | "fails" | "open";
}

interface Sensitivity {
  readonly setting: string;
  readonly value: number;
  /** Whose unit it has: "A11.readMeanBytes". */
  readonly key: string;
}

export interface StudyFinding {
  readonly id: string;
  readonly title: string;
  readonly statement: string;
  /** Key of the claim that decided; the next three numbers are its. */
  readonly decidedBy: string;
  readonly published: number | null;
  readonly measured: number;
  readonly interval: readonly [number, number];
  readonly verdict: Verdict;
  /** Why it is so, in a sentence. */
  readonly reason: string;
  readonly n: number;
  readonly minimum: number;
  /** What n counts. */
  readonly unit: string;
  readonly claims: readonly Claim[];
  /** How the number moves with the thresholds. */
  readonly sensitivity: readonly Sensitivity[];
}
