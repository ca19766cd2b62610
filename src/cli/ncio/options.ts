/** Options that `ncio` and `ncio sweep` share. */
import { UsageError } from "../../base/errors.ts";
import type { NcioMethod } from "../../model/index.ts";
import { METHOD_DEFAULTS, METHODS } from "../../ncio/method/index.ts";
import { type Measuring, PAPER_DEFAULTS, PAPER_REPEATS } from "../../ncio/run/plan.ts";
import { type AccessCase, CASES } from "../../ncio/pattern/index.ts";
import type { OptionValues } from "../command.ts";
import { parseChoice } from "../values.ts";

const BACKENDS = ["posix", "servers", "mpiio", "memory", "null"] as const;

/** Servers need more: their files, sockets and compiled code have to be warm before methods can be compared. */
const WARM_UPS = { posix: 2, servers: 12, mpiio: 2, memory: 2, null: 2 } as const;

export const common = {
  method: {
    kind: "string",
    valueName: "LIST",
    help: `comma-separated: ${METHODS.join(", ")} [all that the back end supports]`,
  },
  case: {
    kind: "string",
    valueName: "LIST",
    default: CASES.join(","),
    help: "comma-separated: contiguous (c) or not (nc) in memory and in file",
  },
  count: {
    kind: "number",
    integer: true,
    min: 1,
    default: PAPER_DEFAULTS.count,
    help: "regions per rank",
  },
  size: { kind: "bytes", min: 1, default: PAPER_DEFAULTS.size, help: "region size" },
  spacing: {
    kind: "bytes",
    min: 1,
    default: PAPER_DEFAULTS.spacing,
    help: "distance between the starts of neighbouring regions, over all ranks",
  },
  ranks: { kind: "number", short: "n", integer: true, min: 1, max: 1024, default: 4, help: "processes" },
  direction: {
    kind: "choice",
    choices: ["write", "read", "both"],
    default: "write",
    help: "direction to measure",
  },
  backend: {
    kind: "choice",
    choices: BACKENDS,
    default: "posix",
    help: "folder, storage servers, MPI-IO on a folder, memory, or null",
  },
  dir: {
    kind: "string",
    valueName: "DIR",
    default: ".",
    help: "folder for the test file, removed afterwards",
  },
  servers: {
    kind: "string",
    valueName: "N|DIR",
    default: "4",
    help: "number of servers to start for this run, or a folder of plimsoll targets start",
  },
  repeats: {
    kind: "number",
    integer: true,
    min: 1,
    max: 2000,
    default: PAPER_REPEATS,
    help: "repetitions per point; from three on, the fastest and the slowest are dropped",
  },
  "warm-ups": {
    kind: "number",
    integer: true,
    min: 0,
    max: 2000,
    help: "warm-up runs per point [2; servers 12]",
  },
  pause: { kind: "number", min: 0, max: 3600, default: 1, help: "pause between repetitions, in seconds" },
  sync: { kind: "boolean", default: true, help: "no fsync" },
  verify: { kind: "boolean", default: true, help: "do not verify data" },
  "list-pairs": {
    kind: "number",
    integer: true,
    min: 1,
    max: 65_536,
    default: METHOD_DEFAULTS.listPairs,
    help: "max offset-length pairs per list request",
  },
  aggregators: {
    kind: "number",
    integer: true,
    min: 1,
    max: 1024,
    help: "aggregators of two-phase I/O [all ranks, max 4]",
  },
  buffer: {
    kind: "bytes",
    min: 512,
    max: 2 ** 30,
    help: "buffer of two-phase I/O [4M] and of data sieving [512K]",
  },
  hint: { kind: "list", valueName: "KEY=VALUE", help: "MPI-IO hint; may be repeated" },
  mpiexec: {
    kind: "string",
    valueName: "PROGRAM",
    help: "launcher of the MPI-IO ranks [mpiexec.mpich, mpiexec]",
  },
  memory: { kind: "bytes", min: 2 ** 20, help: "memory limit of all ranks together [half of RAM]" },
} as const;

export type Common = OptionValues<typeof common>;

/** The methods that a back end has requests for: on plain files list and datatype requests do not exist. */
const NATIVE: Readonly<Record<(typeof BACKENDS)[number], readonly NcioMethod[]>> = {
  posix: ["posix", "sieving", "two-phase"],
  servers: ["posix", "list", "datatype", "two-phase"],
  mpiio: ["posix", "sieving", "two-phase"],
  memory: ["posix", "sieving", "two-phase"],
  null: ["posix", "sieving", "two-phase"],
};

export function methodsOf({ method, backend }: Common): NcioMethod[] {
  if (method === undefined) return [...NATIVE[backend]];
  return words("--method", method, METHODS);
}

export const casesOf = (options: Common): AccessCase[] => words("--case", options.case, CASES);

export const directionsOf = ({ direction }: Common): ("write" | "read")[] =>
  direction === "both" ? ["write", "read"] : [direction];

function words<Word extends string>(flag: string, text: string, choices: readonly Word[]): Word[] {
  const found = text.split(",").map((word) => parseChoice(flag, choices, word.trim()) as Word);
  return choices.filter((choice) => found.includes(choice));
}

/** `strip` is that of the servers: aggregators then have whole strips. */
export function measuringOf(options: Common, strip: number | undefined): Measuring {
  const { buffer } = options;
  return {
    repeats: options.repeats,
    warmUps: options.warmUps ?? WARM_UPS[options.backend],
    pauseSeconds: options.pause,
    verify: options.verify,
    hints: hintsOf(options.hint),
    method: {
      ...METHOD_DEFAULTS,
      listPairs: options.listPairs,
      sync: options.sync,
      aggregators: options.aggregators ?? Math.min(4, options.ranks),
      ...(buffer !== undefined && { collectiveBytes: buffer, sieveBytes: buffer }),
      ...(strip !== undefined && { alignBytes: strip }),
    },
  };
}

function hintsOf(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new UsageError(`--hint ${text}: expected KEY=VALUE, such as cb_nodes=2`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
