/** Rules on accesses: their size and place, their order, and bytes that are moved more than once. */
import type { Rule } from "../rule.ts";
import { AGAIN_RULES } from "./accesses-again.ts";
import { ORDER_RULES } from "./accesses-order.ts";
import { SIZE_RULES } from "./accesses-size.ts";

export const ACCESSES_RULES: readonly Rule[] = [...SIZE_RULES, ...ORDER_RULES, ...AGAIN_RULES];
