/** Files of samples that belong together, in the order of time. */
import { LustreParser, NO_STAMP, type Reading } from "../../formats/lustre/index.ts";
import { openFile } from "../../node/file-source.ts";
import { gunzipped } from "../../node/gzip-source.ts";
import { SERIES } from "../formats.ts";
import { plainName, type SeriesFile } from "../input-format.ts";
import type { Witness } from "../journal.ts";
import type { Placed } from "../messages.ts";
import type { IngestNotes } from "../notes.ts";
import type { Coverage } from "./coverage.ts";
import type { SystemRows } from "./system-rows.ts";
import { Tracking } from "./tracking.ts";

export class Series {
  readonly #notes: IngestNotes;
  readonly #tracking: Tracking;
  readonly #parser = new LustreParser();

  constructor(rows: SystemRows, notes: IngestNotes, coverage: Coverage) {
    this.#notes = notes;
    this.#tracking = new Tracking(rows, notes, coverage, this.#parser.table);
  }

  /** One file. `isLast`: a reading that is cut at its end may be whole next time, and waits for that. */
  async read(
    { path, place }: Placed,
    isLast: boolean,
    yieldToEvents: () => Promise<void>,
  ): Promise<ReturnType<Tally["result"]> & Witness & { bytes: number }> {
    const tally = new Tally(this.#tracking);
    const file: SeriesFile = {
      ...{ path: plainName(path), isLast, notes: this.#notes, parser: this.#parser, yieldToEvents },
      take: (reading) => tally.take(reading),
      damaged: (reason) => tally.damaged(reason),
    };
    // Texts are read front to back: a window that is used again beats memory for all of each.
    let source = openFile(path, 0);
    const bytes = source.byteLength;
    source = gunzipped(source);
    try {
      await SERIES[place.format].read(source, file);
      return { ...tally.result(), bytes, state: source.state, changed: source.hasChanged() };
    } finally {
      source.close();
    }
  }

  finish(): void {
    this.#tracking.finish();
  }
}

/** What the readings of one file came to. */
class Tally {
  readonly #tracking: Tracking;
  #stored = 0;
  #known = 0;
  #noTarget = 0;
  #noTime = false;
  #damage: string | undefined;

  constructor(tracking: Tracking) {
    this.#tracking = tracking;
  }

  take(reading: Reading): void {
    if (reading.readAtNs === NO_STAMP) {
      this.#noTime = true;
      return;
    }
    const taken = this.#tracking.take(reading);
    if (taken === "stored") this.#stored++;
    else if (taken === "known" || taken === "overlapping") this.#known++;
    else if (taken === "no target") this.#noTarget++;
    else if (taken === "backwards")
      this.damaged(
        `the clock goes backwards: a sample of ${reading.target} is earlier than the previous one`,
      );
  }

  damaged(reason: string): void {
    this.#damage ??= reason;
  }

  /** `damage`: what was wrong with the file, in words; what was whole is stored. */
  result() {
    const [stored, known] = [this.#stored, this.#known];
    if (this.#noTime)
      this.damaged(
        "no sample time: put it into the file name (1528329660.job_stats) or on a line before each sample",
      );
    if (stored + known === 0 && this.#noTarget > 0)
      this.damaged("no target name: put it into the file or folder name (lustre1-OST0007)");
    return { stored, known, damage: this.#damage };
  }
}
