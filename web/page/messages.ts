/** What the page and its worker say to each other. */

/** A file with the path that it has on the page: its name, or the folder that was dropped and the way below it. */
export interface DroppedFile {
  readonly path: string;
  readonly file: File;
}

export interface ReadSettings {
  /** Use what comes before damage. */
  readonly keepGoing: boolean;
  /** Bound on what is held in memory: names, and what is unpacked of gzip files. */
  readonly memoryBytes: number;
}

export type Request =
  | {
      readonly kind: "open";
      readonly files: readonly DroppedFile[];
      /** Dropped on a report: the job that it is compared with. */
      readonly before?: readonly DroppedFile[];
      readonly settings: ReadSettings;
    }
  | { readonly kind: "example" }
  | { readonly kind: "save"; readonly id: string; readonly withoutNames: boolean }
  | { readonly kind: "preview" };

export interface Opened {
  readonly kind: "opened";
  readonly html: string;
  readonly title: string;
  /** What can be saved: id, label and the name of the file. */
  readonly savers: readonly SaverFact[];
  /** Of the files' bytes; says nothing of their names. */
  readonly fingerprint: string;
  /** Inputs that were left out. */
  readonly skipped: readonly string[];
  readonly files: readonly DroppedFile[];
  readonly isComparison: boolean;
}

export interface SaverFact {
  readonly id: string;
  readonly label: string;
  readonly about: string;
}

export type Reply =
  | Opened
  | {
      readonly kind: "progress";
      readonly done: number;
      readonly total: number;
      readonly step: Step;
      /** What was found out about the files: what they are, how many. */
      readonly fact: string;
    }
  | { readonly kind: "failed"; readonly failure: Failure }
  | {
      readonly kind: "saved";
      readonly name: string;
      readonly type: string;
      readonly bytes: Uint8Array | string;
    }
  | { readonly kind: "preview"; readonly rows: readonly PreviewRow[] };

export interface PreviewRow {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

export const STEPS = ["look", "read", "judge", "draw"] as const;
export type Step = (typeof STEPS)[number];

/** A named stretch of a file, in bytes. */
export interface PlacePart {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Where a file breaks. */
export interface Place {
  readonly byte: number;
  readonly of: number;
  /** The file ends there; the rest is missing. */
  readonly isCut: boolean;
  /** What the file holds, in order, where that is known. */
  readonly parts: readonly PlacePart[];
}

/** Why a drop could not be shown: one line, the place, and what can still be done. */
export interface Failure {
  readonly line: string;
  /** Of bad input: its name, the byte where it is damaged, and what is wrong. */
  readonly damage?: { readonly name: string; readonly byte?: number; readonly detail: string };
  /** For a bug report; without names. */
  readonly details: string;
  readonly place?: Place;
  /** What comes before the damage can be used. */
  readonly canKeepGoing: boolean;
  /** A higher bound on memory would help. */
  readonly isLimit: boolean;
}
