/**
 * The true answers, from the truth by plain loops: the reference that analyses of the logs are compared with. It follows
 * docs/study-reuse.md word for word, a group of files at a time, and shares nothing with the analyses.
 */
import { createHash } from "node:crypto";
import { CensusAnswers } from "./answers-census.ts";
import { SequenceAnswers } from "./answers-sequences.ts";
import { LoadAnswers } from "./answers-loads.ts";
import { RunAnswers } from "./answers-runs.ts";
import { MIN_BYTES, MIN_RUNS } from "./scenario.ts";
import type { AccessTruth, FileTruth, Group } from "./truth.ts";

/** Answers by item and key; byte totals are exact. */
export type Answers = Readonly<Record<string, Values>>;
type Values = Readonly<Record<string, number | bigint>>;

/** A file that the study selects, with what its items start from. */
export interface SelectedFile {
  readonly file: FileTruth;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** In the order of time. */
  readonly accesses: readonly AccessTruth[];
  readonly fileClass: "RH" | "WH" | "RW";
}

export class AnswerBook {
  readonly #census = new CensusAnswers();
  readonly #runs = new RunAnswers();
  readonly #sequences = new SequenceAnswers();
  readonly #loads: LoadAnswers;
  readonly #selectedIds: bigint[] = [];

  /** `osts`: how many the system has; one that no selected file lies on still counts as a target without load. */
  constructor(osts: number) {
    this.#loads = new LoadAnswers(osts);
  }

  get selectedFiles(): number {
    return this.#selectedIds.length;
  }

  add({ runs, files }: Group): void {
    this.#census.addRuns(runs);
    const selected: SelectedFile[] = [];
    for (const file of files) {
      let bytesRead = 0;
      let bytesWritten = 0;
      for (const access of file.accesses) {
        bytesRead += access.bytesRead;
        bytesWritten += access.bytesWritten;
      }
      this.#census.addFile(file, bytesRead, bytesWritten);
      if (bytesRead + bytesWritten >= MIN_BYTES && file.accesses.length >= MIN_RUNS)
        selected.push(selectedFile(file, bytesRead, bytesWritten));
    }
    if (selected.length === 0) return;
    this.#runs.add(runs, selected);
    for (const one of selected) {
      this.#selectedIds.push((BigInt(one.file.idHigh) << 32n) | BigInt(one.file.idLow));
      this.#census.select(one);
      this.#sequences.add(one);
      this.#loads.add(one);
    }
  }

  finish(): { readonly answers: Answers; readonly selectedFilesSha256: string } {
    const ids = BigUint64Array.from(this.#selectedIds).sort();
    const hash = createHash("sha256");
    for (const id of ids) hash.update(`${id}\n`);
    const census = this.#census.answers(this.selectedFiles, this.#runs.runs);
    const all: Answers = {
      ...census,
      ...this.#runs.answers(),
      ...this.#sequences.answers(this.selectedFiles),
      ...this.#loads.answers(this.selectedFiles),
    };
    const answers = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    return { answers, selectedFilesSha256: hash.digest("hex") };
  }
}

function selectedFile(file: FileTruth, bytesRead: number, bytesWritten: number): SelectedFile {
  const difference = (bytesRead - bytesWritten) / (bytesRead + bytesWritten);
  return {
    file,
    bytesRead,
    bytesWritten,
    accesses: inOrder(file.accesses),
    fileClass: difference >= 0.9 ? "RH" : difference <= -0.9 ? "WH" : "RW",
  };
}

function inOrder(accesses: readonly AccessTruth[]): readonly AccessTruth[] {
  for (let i = 1; i < accesses.length; i++) {
    if ((accesses[i - 1] as AccessTruth).run.start > (accesses[i] as AccessTruth).run.start)
      return [...accesses].sort((a, b) => a.run.start - b.run.start);
  }
  return accesses;
}
