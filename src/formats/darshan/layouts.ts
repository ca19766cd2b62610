/** Layouts of files on Lustre, as the records of the log have them; in columns, since a log may have a million. */
import { IdIndex } from "../../base/id-index.ts";
import { PackedNumbers } from "../../base/packed.ts";
import { LOW, wordNumber } from "../../base/words.ts";
import { MISSING_I64, type StripeLayout } from "../../model/index.ts";
import type { RecordBlock } from "./blocks.ts";
import { knownOsts } from "./known-values.ts";
import { COMPONENT_WORDS } from "./modules/index.ts";

/** Words of a record before its components, which begin with the size of stripes and their number. */
const HEAD_WORDS = 4;

export class Layouts {
  readonly #ids = new IdIndex();
  readonly #components = new PackedNumbers();
  readonly #stripeBytes = new PackedNumbers();
  readonly #stripeCounts = new PackedNumbers();
  /** OSTs of all files one after another, and where those of a file are. */
  readonly #osts = new PackedNumbers();
  readonly #firstOst = new PackedNumbers();
  readonly #ostCount = new PackedNumbers();
  #ostsKept = 0;

  /** Of several records of a file the last one counts. */
  add(block: RecordBlock): void {
    const { u32 } = block.views;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      const number = this.#ids.numberOf(u32[2 * at + LOW] as number, u32[2 * at + 1 - LOW] as number);
      const components = wordNumber(u32, at + 2);
      const osts = wordNumber(u32, at + 3);
      this.#components.set(number, components);
      this.#ostCount.set(number, osts);
      this.#firstOst.set(number, this.#ostsKept);
      const from = at + HEAD_WORDS + COMPONENT_WORDS * components;
      for (let i = 0; i < osts; i++) this.#osts.setWord(this.#ostsKept++, u32, from + i);
      if (components === 0) continue;
      this.#stripeBytes.setWord(number, u32, at + HEAD_WORDS);
      this.#stripeCounts.setWord(number, u32, at + HEAD_WORDS + 1);
    }
  }

  /** Columns of `layers`; undefined when the log does not say. */
  columns(id: bigint) {
    const number = this.#find(id);
    const components = this.#components.at(number);
    if (!(components > 0)) return undefined;
    return {
      stripe_count: this.#stripeCounts.exactAt(number) ?? MISSING_I64,
      stripe_bytes: this.#stripeBytes.exactAt(number) ?? MISSING_I64,
      components,
      osts: knownOsts(this.#ostsOf(number)),
    };
  }

  /** Plain striping only: with several components or mirrors an offset does not tell its OST by itself. */
  striping(id: bigint): StripeLayout | undefined {
    const number = this.#find(id);
    if (this.#components.at(number) !== 1) return undefined;
    const stripeBytes = this.#stripeBytes.at(number);
    const osts = this.#ostsOf(number).map(Number);
    const known = osts.length > 0 && osts.every((ost) => ost >= 0);
    return stripeBytes > 0 && known ? { stripeBytes, osts } : undefined;
  }

  #find(id: bigint): number {
    return this.#ids.find(Number(id & 0xffffffffn), Number(id >> 32n));
  }

  #ostsOf(number: number): bigint[] {
    const first = this.#firstOst.at(number);
    return Array.from({ length: this.#ostCount.at(number) }, (_, i) => this.#osts.exactAt(first + i) ?? -1n);
  }
}
