/** The options of a benchmark run as stored in its journal, and their points. */
import { parseChoice } from "../../base/choice.ts";
import { UsageError } from "../../base/errors.ts";
import type { NcioMethod, NcioVariable } from "../../model/index.ts";
import { METHODS } from "../method/index.ts";
import { type AccessCase, CASES, type PatternSpec, patternOf } from "../pattern/index.ts";
import { PAPER_DEFAULTS, PAPER_SWEEPS, type PointPlan, type SweepPlan } from "./plan.ts";

export const BACKENDS = ["posix", "servers", "mpiio", "memory", "null"] as const;
export const VARIABLES = Object.keys(PAPER_SWEEPS) as NcioVariable[];

/** Servers need more: their files, sockets and compiled code have to be warm before methods can be compared. */
export const WARM_UPS = { posix: 2, servers: 12, mpiio: 2, memory: 2, null: 2 } as const;

/** Lists are comma-separated words. */
interface PointSetting {
  readonly method?: string | undefined;
  readonly case: string;
  readonly direction: "write" | "read" | "both";
  readonly backend: (typeof BACKENDS)[number];
}

interface PatternSetting extends PointSetting {
  readonly count: number;
  readonly size: number;
  readonly spacing: number;
  readonly ranks: number;
}

export interface SweepSetting extends PatternSetting {
  readonly vary: string;
  readonly maxCount?: number | undefined;
}

/** The methods supported natively by a back end: plain files have no list or datatype requests. */
const NATIVE: Readonly<Record<PointSetting["backend"], readonly NcioMethod[]>> = {
  posix: ["posix", "sieving", "two-phase"],
  servers: ["posix", "list", "datatype", "two-phase"],
  mpiio: ["posix", "sieving", "two-phase"],
  memory: ["posix", "sieving", "two-phase"],
  null: ["posix", "sieving", "two-phase"],
};

export function sweepPlan(setting: SweepSetting): SweepPlan {
  const { count, size, spacing } = { ...PAPER_DEFAULTS, ...setting };
  return {
    variables: variablesOf(setting.vary, setting.maxCount),
    defaults: { count, size, spacing },
    cases: casesOf(setting),
    methods: methodsOf(setting),
    directions: directionsOf(setting),
    ranks: setting.ranks,
  };
}

/** One pattern by methods and directions; `ncio` and `hpio` in each case. `fields` are those of its spec beyond the setting. */
export function patternPoints(
  setting: PatternSetting,
  name: PatternSpec["pattern"],
  fields: Readonly<Record<string, unknown>>,
): PointPlan[] {
  const { ranks, count, size, spacing } = setting;
  const specs = (
    name === "ncio" || name === "hpio"
      ? casesOf(setting).map((one) => ({ pattern: name, ranks, count, size, spacing, case: one, ...fields }))
      : [{ pattern: name, ...(name !== "subarray" && { ranks }), ...fields }]
  ) as PatternSpec[];
  for (const spec of specs)
    if (patternOf(spec).ranks !== ranks)
      throw new UsageError(
        `the pattern has ${patternOf(spec).ranks} ranks, but -n is ${ranks}; they must be equal`,
      );
  return directionsOf(setting).flatMap((direction) =>
    specs.flatMap((pattern) => methodsOf(setting).map((method) => ({ pattern, method, direction }))),
  );
}

function methodsOf({ method, backend }: PointSetting): NcioMethod[] {
  if (method === undefined) return [...NATIVE[backend]];
  return words("--method", method, METHODS);
}

const casesOf = (setting: PointSetting): AccessCase[] => words("--case", setting.case, CASES);

const directionsOf = ({ direction }: PointSetting): ("write" | "read")[] =>
  direction === "both" ? ["write", "read"] : [direction];

function words<Word extends string>(flag: string, text: string, choices: readonly Word[]): Word[] {
  const found = text.split(",").map((word) => parseChoice(flag, choices, word.trim()) as Word);
  return choices.filter((choice) => found.includes(choice));
}

/** `count,size=8:64`: the paper's values, or custom ones. */
function variablesOf(
  text: string,
  maxCount: number | undefined,
): Partial<Record<NcioVariable, readonly number[]>> {
  const found: Partial<Record<NcioVariable, readonly number[]>> = {};
  for (const word of text.split(",")) {
    const [name = "", values] = word.trim().split("=");
    const variable = VARIABLES.find((one) => one === name);
    if (variable === undefined)
      throw new UsageError(
        `--vary ${text}: no variable ${name || "without a name"}; choose from ${VARIABLES.join(", ")}`,
      );
    const list = values === undefined ? PAPER_SWEEPS[variable] : values.split(":").map(Number);
    if (list.some((value) => !Number.isSafeInteger(value) || value < 1))
      throw new UsageError(`--vary ${word}: expected whole numbers from 1 on, such as ${variable}=1024:4096`);
    found[variable] = [...new Set(list)].sort((a, b) => a - b);
  }
  if (maxCount !== undefined && found.count !== undefined) {
    found.count = found.count.filter((value) => value <= maxCount);
    if (found.count.length === 0) throw new UsageError(`--max-count ${maxCount}: no region count is left`);
  }
  return found;
}
