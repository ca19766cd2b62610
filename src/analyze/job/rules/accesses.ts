/** Rules on accesses: their size, place and order, calls between them, and bytes that are moved more than once. */
import type { Rule } from "../rule.ts";
import { AGAIN_RULES } from "./accesses-again.ts";
import { BETWEEN_RULES } from "./accesses-between.ts";
import { MIXED_RULES } from "./accesses-mixed.ts";
import { ORDER_RULES } from "./accesses-order.ts";
import { SIZE_RULES } from "./accesses-size.ts";
import { ALIGNMENT_RULES } from "./alignment.ts";

export const ACCESSES_RULES: readonly Rule[] = [
  ...SIZE_RULES,
  ...ALIGNMENT_RULES,
  ...ORDER_RULES,
  ...BETWEEN_RULES,
  ...AGAIN_RULES,
  ...MIXED_RULES,
];
