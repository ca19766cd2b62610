/** A01 to A04 and A16: census, selection and side facts. */
import { ExactSum } from "./answer-statistics.ts";
import type { Answers, SelectedFile } from "./answers.ts";
import { Transfers } from "./counters.ts";
import { MIN_BYTES, MIN_RUNS } from "./scenario.ts";
import { type FileTruth, type RunTruth, STDIO } from "./truth.ts";

const GB = 1e9;

export class CensusAnswers {
  #logs = 0;
  #logsWithoutLustre = 0;
  readonly #applications = new Set<number>();
  readonly #users = new Set<number>();
  #files = 0;
  readonly #bytesRead = new ExactSum();
  readonly #bytesWritten = new ExactSum();
  /** Of all files. */
  readonly #below = { gb: 0, gb100: 0, once: 0, gbOnce: 0, gb100Once: 0, large: 0, often: 0 };

  readonly #selectedApplications = new Set<number>();
  readonly #selectedUsers = new Set<number>();
  readonly #selectedRead = new ExactSum();
  readonly #selectedWritten = new ExactSum();
  /** Selected files with a layout, and those of one stripe. */
  #laidOut = 0;
  #oneStripe = 0;

  readonly #calls = new Transfers();
  readonly #reads = { all: new ExactSum(), sequential: new ExactSum() };
  readonly #writes = { all: new ExactSum(), sequential: new ExactSum() };

  addRuns(runs: readonly RunTruth[]): void {
    this.#logs += runs.length;
    for (const { application, user, accesses } of runs) {
      this.#applications.add(application);
      this.#users.add(user);
      let lustre = false;
      for (const access of accesses) {
        if (access.file.osts.length > 0) lustre = true;
        // STDIO does not tell sequential calls from others.
        if (access.layer === STDIO) continue;
        this.#count(access.bytesRead, access.ioRanks, this.#reads);
        this.#count(access.bytesWritten, access.ioRanks, this.#writes);
      }
      if (!lustre) this.#logsWithoutLustre++;
    }
  }

  #count(
    bytes: number,
    ranks: number,
    sums: { readonly all: ExactSum; readonly sequential: ExactSum },
  ): void {
    if (bytes === 0) return;
    this.#calls.of(bytes, ranks);
    sums.all.add(this.#calls.calls);
    sums.sequential.add(this.#calls.sequential);
  }

  addFile({ accesses }: FileTruth, read: number, written: number): void {
    const bytes = read + written;
    const once = accesses.length === 1;
    const below = this.#below;
    this.#files++;
    this.#bytesRead.add(read);
    this.#bytesWritten.add(written);
    if (once) below.once++;
    if (bytes < GB) below.gb++;
    if (bytes < GB && once) below.gbOnce++;
    if (bytes < 100 * GB) below.gb100++;
    if (bytes < 100 * GB && once) below.gb100Once++;
    if (bytes >= MIN_BYTES) below.large++;
    if (accesses.length >= MIN_RUNS) below.often++;
  }

  select({ file, accesses, bytesRead, bytesWritten }: SelectedFile): void {
    this.#selectedRead.add(bytesRead);
    this.#selectedWritten.add(bytesWritten);
    for (const { run } of accesses) {
      this.#selectedApplications.add(run.application);
      this.#selectedUsers.add(run.user);
    }
    if (file.osts.length > 0) this.#laidOut++;
    if (file.osts.length === 1) this.#oneStripe++;
  }

  /** `selected` files, touched by `runs`. */
  answers(selected: number, runs: number): Answers {
    const below = this.#below;
    const files = this.#files;
    const [read, written] = [this.#bytesRead.total, this.#bytesWritten.total];
    const [selectedRead, selectedWritten] = [this.#selectedRead.total, this.#selectedWritten.total];
    const [reads, writes] = [Number(this.#reads.all.total), Number(this.#writes.all.total)];
    const sequentialReads = Number(this.#reads.sequential.total);
    const sequentialWrites = Number(this.#writes.sequential.total);
    return {
      A01: {
        logs: this.#logs,
        files,
        applications: this.#applications.size,
        users: this.#users.size,
        bytesRead: read,
        bytesWritten: written,
      },
      A02: {
        files,
        below1GB: below.gb / files,
        below100GB: below.gb100 / files,
        oneRun: below.once / files,
        below1GBAndOneRun: below.gbOnce / files,
        below100GBAndOneRun: below.gb100Once / files,
      },
      A03: {
        files: selected,
        largeFiles: below.large,
        filesOfSeveralRuns: below.often,
        shareOfBytes: Number(selectedRead + selectedWritten) / Number(read + written),
      },
      A04: {
        files: selected,
        runs,
        applications: this.#selectedApplications.size,
        users: this.#selectedUsers.size,
        bytesRead: selectedRead,
        bytesWritten: selectedWritten,
      },
      A16: {
        sequentialReads: sequentialReads / reads,
        sequentialWrites: sequentialWrites / writes,
        sequential: (sequentialReads + sequentialWrites) / (reads + writes),
        stripeWidth1: this.#oneStripe / this.#laidOut,
        logsWithoutLustre: this.#logsWithoutLustre / this.#logs,
      },
    };
  }
}
