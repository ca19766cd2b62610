/** Running a study: its steps, how long each takes, and what several of them need. */
import type { StudyItem, StudyResult } from "./item.ts";

export interface StudyWatch {
  /** Figures, and paths in tables of files; they take time of their own. Default: yes. */
  readonly details?: boolean;
  /** Called after each step, with how many there are. */
  step?(done: number, of: number, name: string): void;
  /** Monotonic, in milliseconds; seconds are NaN without it. */
  now?(): number;
  /** Lets answers of the database and of other threads come in. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Counts the steps of a study, and the seconds of each. */
export class StudySteps {
  readonly seconds: Record<string, number> = {};
  readonly #total: number;
  readonly #watch: StudyWatch;
  #done = 0;

  constructor(total: number, watch: StudyWatch) {
    this.#total = total;
    this.#watch = watch;
  }

  async timed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const now = () => this.#watch.now?.() ?? Number.NaN;
    const began = now();
    const result = await work();
    this.seconds[name] = (now() - began) / 1000;
    this.#watch.step?.(++this.#done, this.#total, name);
    return result;
  }

  /** The results of items by id, one item after the other. */
  async run<Prepared, Published>(
    items: readonly StudyItem<Prepared, string, Published>[],
    prepared: Prepared,
  ): Promise<Record<string, StudyResult<Published>>> {
    const { details = true, pause } = this.#watch;
    const results: Record<string, StudyResult<Published>> = {};
    for (const item of items) {
      results[item.id] = await this.timed(item.id, () => item.run(prepared, details));
      await pause?.();
    }
    return results;
  }
}

/** What several steps ask for and the first of them makes. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
