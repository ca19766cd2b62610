/** Which of the jobs with minutes do what: exact shares of the whole series. */
import { quotas, Shuffle } from "./quota.ts";
import { SERIES } from "./scenario.ts";
import { CONTINUOUS, PERIODIC, SINGLE } from "./plan.ts";

export type Kind = "metadata" | "read" | "family" | "checkpoint" | "small" | "medium" | "large" | "tiny";

export class SeriesQuotas {
  readonly writers: number;
  readonly #kinds: Shuffle;
  readonly #ends: readonly number[];
  readonly #writerEnds: readonly number[];
  readonly #patterns: Shuffle;
  readonly #patternEnds: readonly number[];
  readonly #large: Shuffle;
  readonly #largeEnds: readonly number[];
  readonly #checkpoints: number;
  readonly #shortContinuous: number;
  /** Place among jobs of the same kind, and among writers. */
  #place = 0;
  #writer = 0;

  constructor(jobs: number, seed: number) {
    const { metadataOnly, readOnly, writers, family, checkpoint, small, tiny, beyond } = SERIES;
    let kind = 500;
    const shuffle = (size: number) => new Shuffle(Math.max(1, size), seed, kind++);
    this.#kinds = shuffle(jobs);
    this.#ends = quotas(jobs, [metadataOnly, readOnly, writers]);
    this.writers = jobs - (this.#ends[1] as number);
    const exceeding = beyond.reduce((all, [, , count]) => all + count, 0) / writers;
    const large = exceeding - checkpoint;
    this.#writerEnds = quotas(this.writers, [
      family,
      checkpoint,
      small - family - checkpoint,
      1 - small - large - tiny,
      large,
      tiny,
    ]);
    const [, , ...rest] = this.#writerEnds;
    const others = this.writers - ((this.#writerEnds[1] as number) ?? 0);
    this.#patterns = shuffle(others);
    this.#patternEnds = quotas(others, [
      SERIES.periodic - family - checkpoint,
      SERIES.continuous,
      SERIES.single,
    ]);
    this.#shortContinuous =
      (this.#patternEnds[0] as number) +
      Math.round(
        SERIES.shortOfContinuous * ((this.#patternEnds[1] as number) - (this.#patternEnds[0] as number)),
      );
    this.#checkpoints = (this.#writerEnds[1] as number) - (this.#writerEnds[0] as number);
    const largeJobs = (rest[2] as number) - (rest[1] as number);
    this.#large = shuffle(this.#checkpoints + largeJobs);
    this.#largeEnds = quotas(
      this.#checkpoints + largeJobs,
      beyond.map(([, , count]) => count),
    );
  }

  kind(member: number): Kind {
    const place = this.#kinds.at(member);
    const [metadata = 0, read = 0] = this.#ends;
    if (place < metadata) return "metadata";
    if (place < read) return "read";
    this.#writer = place - read;
    let at = 0;
    while (this.#writer >= (this.#writerEnds[at] as number)) at++;
    this.#place = this.#writer - (this.#writerEnds[at - 1] ?? 0);
    return WRITER_KINDS[at] as Kind;
  }

  /** The family of the member asked for last. */
  get family(): number {
    return Math.floor(this.#place / SERIES.familyJobs);
  }

  /** Of a writer that is of no family and has no checkpoint; negative for a short one. */
  get pattern(): number {
    const place = this.#patterns.at(this.#writer - (this.#writerEnds[1] as number));
    if (place < (this.#patternEnds[0] as number)) return PERIODIC;
    if (place < this.#shortContinuous) return -CONTINUOUS;
    return place < (this.#patternEnds[1] as number) ? CONTINUOUS : SINGLE;
  }

  /** Bounds of the largest burst as a share of memory, of a checkpoint or a large job. */
  memoryShare(kind: Kind): readonly [number, number] {
    const place = this.#large.at(kind === "checkpoint" ? this.#place : this.#checkpoints + this.#place);
    let at = 0;
    while (place >= (this.#largeEnds[at] as number)) at++;
    const [low, high] = SERIES.beyond[at] as (typeof SERIES.beyond)[number];
    return [low, high];
  }
}

const WRITER_KINDS: readonly Kind[] = ["family", "checkpoint", "small", "medium", "large", "tiny"];
