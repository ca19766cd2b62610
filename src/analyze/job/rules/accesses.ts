/** Rules on accesses: their size, place and order, calls between them, and bytes that are moved more than once. */
import type { Rule } from "../rule.ts";
import { REREAD_AND_OVERWRITE_RULES } from "./rereads-and-overwrites.ts";
import { SEEK_AND_SYNC_RULES } from "./seeks-and-syncs.ts";
import { READ_MODIFY_WRITE_RULES } from "./read-modify-write.ts";
import { RANDOM_AND_STRIDED_RULES } from "./random-and-strided.ts";
import { SMALL_ACCESS_RULES } from "./small-accesses.ts";
import { ALIGNMENT_RULES } from "./alignment.ts";

export const ACCESSES_RULES: readonly Rule[] = [
  ...SMALL_ACCESS_RULES,
  ...ALIGNMENT_RULES,
  ...RANDOM_AND_STRIDED_RULES,
  ...SEEK_AND_SYNC_RULES,
  ...REREAD_AND_OVERWRITE_RULES,
  ...READ_MODIFY_WRITE_RULES,
];
