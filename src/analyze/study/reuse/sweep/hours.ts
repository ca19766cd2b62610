/** Accesses by the local hour in which their run started: bytes, I/O time, and its variation within a file (A14). */
import { Column, type Pages } from "./column.ts";
import { addMoved, COMPLETE, FLAGS, HOUR_MASK, IO, MOVED, type Records, TIMED } from "./records.ts";
import { WordSums } from "./words.ts";

const HOURS = 24;

interface HourSettings {
  readonly ddof: number;
  readonly withIdle: boolean;
  readonly minRunsPerCell: number;
  /** Keep all values, of which medians can be taken. */
  readonly medians: boolean;
  /** Files whose cells are kept. */
  readonly kept: (file: number) => boolean;
}

export class Hours {
  readonly bytes = new WordSums(HOURS);
  readonly accesses = new Float64Array(HOURS);
  /** I/O times over the longest of their file: sum and number. */
  readonly shares = new Float64Array(HOURS);
  readonly timed = new Float64Array(HOURS);
  /** Variations of pairs of file and hour: sum and number. */
  readonly covs = new Float64Array(HOURS);
  readonly cells = new Float64Array(HOURS);
  /** All pairs of file and hour, also those without a variation. */
  pairs = 0;
  readonly allShares: readonly Column[];
  readonly allCovs: readonly Column[];
  readonly kept = {
    file: new Column(),
    hour: new Column(),
    times: new Column(),
    share: new Column(),
    cov: new Column(),
  };
  readonly #settings: HourSettings;
  readonly #seen = new Float64Array(HOURS);
  readonly #n = new Float64Array(HOURS);
  readonly #sum = new Float64Array(HOURS);
  readonly #squares = new Float64Array(HOURS);

  constructor(settings: HourSettings, pages?: Pages) {
    const columns = () => Array.from({ length: HOURS }, () => new Column(pages));
    [this.allShares, this.allCovs] = [columns(), columns()];
    this.#settings = settings;
  }

  add(file: number, records: Records, from: number, to: number, moved: Float64Array, longest: number): void {
    const { words, doubles, stride } = records;
    const counted = this.#settings.withIdle ? COMPLETE : COMPLETE | MOVED;
    const [seen, n, sum, squares] = [this.#seen, this.#n, this.#sum, this.#squares];
    seen.fill(0);
    n.fill(0);
    sum.fill(0);
    squares.fill(0);
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const flags = words[at + FLAGS] as number;
      if ((flags & TIMED) === 0) continue;
      const hour = flags & HOUR_MASK;
      seen[hour] = (seen[hour] as number) + 1;
      addMoved(this.bytes, hour, moved[row - from] as number, words, at);
      if ((flags & counted) !== counted) continue;
      const io = doubles[(at + IO) >> 1] as number;
      if (Number.isNaN(io)) continue;
      n[hour] = (n[hour] as number) + 1;
      sum[hour] = (sum[hour] as number) + io;
    }
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const flags = words[at + FLAGS] as number;
      if ((flags & TIMED) === 0 || (flags & counted) !== counted) continue;
      const io = doubles[(at + IO) >> 1] as number;
      if (Number.isNaN(io)) continue;
      const hour = flags & HOUR_MASK;
      squares[hour] = (squares[hour] as number) + (io - (sum[hour] as number) / (n[hour] as number)) ** 2;
      if (this.#settings.medians && longest > 0) this.allShares[hour]?.push(io / longest);
    }
    this.#close(file, longest);
  }

  #close(file: number, longest: number): void {
    const { ddof, minRunsPerCell, medians, kept } = this.#settings;
    const keep = kept(file);
    for (let hour = 0; hour < HOURS; hour++) {
      const seen = this.#seen[hour] as number;
      if (seen === 0) continue;
      const n = this.#n[hour] as number;
      const sum = this.#sum[hour] as number;
      this.pairs++;
      this.accesses[hour] = (this.accesses[hour] as number) + seen;
      const share = longest > 0 && n > 0 ? sum / longest : Number.NaN;
      if (!Number.isNaN(share)) {
        this.shares[hour] = (this.shares[hour] as number) + share;
        this.timed[hour] = (this.timed[hour] as number) + n;
      }
      // A spread needs more values than it takes off, and a mean above zero.
      const cov =
        n >= minRunsPerCell && n > ddof && sum > 0
          ? Math.sqrt((this.#squares[hour] as number) / (n - ddof)) / (sum / n)
          : Number.NaN;
      if (!Number.isNaN(cov)) {
        this.covs[hour] = (this.covs[hour] as number) + cov;
        this.cells[hour] = (this.cells[hour] as number) + 1;
        if (medians) this.allCovs[hour]?.push(cov);
      }
      if (!keep) continue;
      this.kept.file.push(file);
      this.kept.hour.push(hour);
      this.kept.times.push(n);
      this.kept.share.push(share);
      this.kept.cov.push(cov);
    }
  }
}
