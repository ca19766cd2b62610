/** What fields of Telegraf's lustre2 plugin are of Lustre's counters. */
import { MAX, MIN, SAMPLES, SUM } from "../lustre/index.ts";

interface FieldMeaning {
  readonly name: string;
  readonly unit: string;
  /** Which word of the counter it is. */
  readonly word: number;
}

const SIZES = { bytes: SUM, calls: SAMPLES, min_size: MIN, max_size: MAX } as const;

/** A plugin has some dozens of fields; a strange dump could have any number. */
const KNOWN_MAX = 1000;

export class FieldMeanings {
  readonly #known = new Map<string, FieldMeaning | undefined>();

  /** Undefined for fields that are no counters of Lustre. */
  of(field: string): FieldMeaning | undefined {
    if (this.#known.has(field)) return this.#known.get(field);
    const meaning = meaningOf(field);
    if (this.#known.size < KNOWN_MAX) this.#known.set(field, meaning);
    return meaning;
  }
}

function meaningOf(field: string): FieldMeaning | undefined {
  const size = /^(?:jobstats_)?(read|write)_(bytes|calls|min_size|max_size)$/.exec(field);
  if (size !== null)
    return { name: `${size[1]}_bytes`, unit: "bytes", word: SIZES[size[2] as keyof typeof SIZES] };
  // The plain name is the number of samples in the plugin's older releases, not of pages.
  const cache = /^(cache_[a-z]+?)(_pages|_samples)?$/.exec(field);
  if (cache !== null)
    return { name: cache[1] ?? "", unit: "pages", word: cache[2] === "_pages" ? SUM : SAMPLES };
  const operation = /^(?:jobstats_)?(?:ost_)?([a-z_]+)$/.exec(field);
  return operation === null ? undefined : { name: operation[1] ?? "", unit: "reqs", word: SAMPLES };
}
