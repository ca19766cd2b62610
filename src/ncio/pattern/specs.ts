/** Patterns as plain data, for plans, results and command lines; sizes in bytes. */
import { UsageError } from "../../base/errors.ts";
import type { AccessCase } from "./pattern.ts";

/** Equal regions at equal distances; region i of rank r lies at (i * ranks + r) * spacing of a file with holes. */
export interface NcioSpec {
  readonly pattern: "ncio";
  readonly ranks: number;
  readonly count: number;
  readonly size: number;
  /** From start to start. */
  readonly spacing: number;
  readonly case: AccessCase;
}

/** The same with separate spacing and region size for memory; default: those of the file. */
export interface HpioSpec extends Omit<NcioSpec, "pattern"> {
  readonly pattern: "hpio";
  readonly memorySpacing?: number;
  /** Size of memory regions; if it differs from that in the file, both are cut at different places. */
  readonly memorySize?: number;
}

/** A checkpoint of FLASH: blocks of cells with guard cells around them in memory; in the file variable by variable. */
export interface FlashSpec {
  readonly pattern: "flash";
  readonly ranks: number;
  /** Blocks of a rank; the I/O kernel of FLASH has 80. */
  readonly blocks?: number;
  /** Cells along each side of a block. */
  readonly cells?: number;
  /** Guard cells on each side. */
  readonly guard?: number;
  readonly variables?: number;
  readonly size?: number;
}

/** A step of IPARS: each rank has a share of the cells. */
export interface IparsSpec {
  readonly pattern: "ipars";
  readonly ranks: number;
  readonly cells?: number;
  readonly variables?: number;
  readonly size?: number;
  /** `cell`: the file has all variables of a cell side by side, memory has them separately. `variable`: the reverse. */
  readonly order?: "cell" | "variable";
  /** Only this one of the variables is stored. */
  readonly variable?: number;
}

/** Each rank has a box of a grid; the last number of a triple is of the dimension whose cells are neighbours in the file. */
export interface SubarraySpec {
  readonly pattern: "subarray";
  readonly grid: readonly [number, number, number];
  readonly ranksGrid: readonly [number, number, number];
  readonly size?: number;
  /** Cells of neighbours around the box in memory. */
  readonly ghost?: number;
}

export type PatternSpec = NcioSpec | HpioSpec | FlashSpec | IparsSpec | SubarraySpec;

export const CASES: readonly AccessCase[] = ["c-c", "nc-c", "c-nc", "nc-nc"];

/** Default fields. */
export const FLASH_DEFAULTS = { blocks: 80, cells: 8, guard: 4, variables: 24, size: 8 } as const;
/**
 * 10,000 steps of 9,000 cells with 17 variables are 6.9 GB in the paper: between the 6.1 GB of 4-byte and the 12.2 GB of
 * 8-byte variables, nearer to the former.
 */
export const IPARS_DEFAULTS = { cells: 9000, variables: 17, size: 4, order: "cell" } as const;
export const SUBARRAY_DEFAULTS = { size: 8, ghost: 0 } as const;

type Kind = "count" | "natural" | "case" | "order" | "triple";

const FIELDS: Readonly<Record<PatternSpec["pattern"], Readonly<Record<string, Kind>>>> = {
  ncio: { ranks: "count", count: "count", size: "count", spacing: "count", case: "case" },
  hpio: {
    ranks: "count",
    count: "count",
    size: "count",
    spacing: "count",
    case: "case",
    "memorySpacing?": "count",
    "memorySize?": "count",
  },
  flash: {
    ranks: "count",
    "blocks?": "count",
    "cells?": "count",
    "guard?": "natural",
    "variables?": "count",
    "size?": "count",
  },
  ipars: {
    ranks: "count",
    "cells?": "count",
    "variables?": "count",
    "size?": "count",
    "order?": "order",
    "variable?": "natural",
  },
  subarray: { grid: "triple", ranksGrid: "triple", "size?": "count", "ghost?": "natural" },
};

export const PATTERN_NAMES = Object.keys(FIELDS) as readonly PatternSpec["pattern"][];

/** Checks the fields of an untrusted spec, but not their consistency (see `patternOf`). */
export function readPatternSpec(value: unknown): PatternSpec {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError("a pattern is an object with the field pattern");
  const spec = value as Record<string, unknown>;
  const { pattern: name } = spec;
  const fields = PATTERN_NAMES.includes(name as never) ? FIELDS[name as PatternSpec["pattern"]] : undefined;
  if (fields === undefined)
    throw new UsageError(`unknown pattern: ${String(name)} (have: ${PATTERN_NAMES.join(", ")})`);
  const known = new Set(["pattern", ...Object.keys(fields).map((field) => field.replace("?", ""))]);
  for (const field of Object.keys(spec))
    if (!known.has(field))
      throw new UsageError(`pattern ${name} has no field ${field} (have: ${[...known].slice(1).join(", ")})`);
  for (const [key, kind] of Object.entries(fields)) {
    const field = key.replace("?", "");
    if (field !== key && spec[field] === undefined) continue;
    const wanted = wrong(spec[field], kind);
    if (wanted !== undefined)
      throw new UsageError(`pattern ${name}: ${field} is ${wanted}, found ${JSON.stringify(spec[field])}`);
  }
  return spec as unknown as PatternSpec;
}

/** The expected kind, if the value does not match. */
function wrong(value: unknown, kind: Kind): string | undefined {
  switch (kind) {
    case "count":
      return isCount(value) ? undefined : "a whole number from 1 to 2^53-1";
    case "natural":
      return isCount(value) || value === 0 ? undefined : "a whole number from 0 to 2^53-1";
    case "case":
      return CASES.includes(value as AccessCase) ? undefined : CASES.join(", ");
    case "order":
      return value === "cell" || value === "variable" ? undefined : "cell or variable";
    case "triple": {
      const fine = Array.isArray(value) && value.length === 3 && value.every(isCount);
      return fine ? undefined : "three whole numbers from 1 on";
    }
  }
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
