/** `plimsoll ncio advise`: tests the seven guidelines on a sweep, or advises on a pattern. */
import {
  adviceLines,
  adviseOn,
  judgeSweep,
  METHOD_ORDER,
  patternLines,
  readPoint,
  readSweep,
} from "../../ncio/judge/index.ts";
import { formatCount, formatMany } from "../../base/units.ts";
import { CASES } from "../../ncio/pattern/index.ts";
import { plain } from "../../report/text/index.ts";
import { defineCommand, type OptionValues } from "../command.ts";
import { loadSweep } from "../../ncio/run/load.ts";
import { option } from "../option.ts";
import { storageLines } from "./text.ts";

const options = {
  case: option.choice(CASES, "contiguous (c) or not (nc) in memory and in file (default: c-nc)"),
  count: option.whole("regions per rank (default: as in the sweep)", { min: 1 }),
  size: option.bytes("region size (default: as in the sweep)", { min: 1 }),
  spacing: option.bytes("distance between region starts (default: as in the sweep)", { min: 1 }),
  ranks: option.whole("processes (default: as in the sweep)", { short: "n", min: 1 }),
  direction: option.choice(["write", "read"], "direction of the program (default: as in the sweep)"),
  method: option.choice(METHOD_ORDER, "current method of the program, to compute the speed-up", {
    default: "posix",
  }),
} as const;

export default defineCommand({
  name: "ncio advise",
  description:
    "Reads the folder of a finished or interrupted plimsoll ncio sweep, its sweep.json, or the points of plimsoll ncio -o. Without a pattern it tests the seven guidelines of the NCIO paper against these results and lists where the fastest method changes. With a pattern (any of --case, --count, --size, --spacing, --ranks) it finds the nearest measured patterns and reports the best method, the gain of a change of method or layout with its uncertainty, and the MPI-IO hints that select the method.",
  arguments: [{ name: "sweep", help: "sweep folder, sweep.json, or file of plimsoll ncio -o", kind: "file" }],
  options,
  examples: {
    "plimsoll ncio advise ncio-sweep": "test the guidelines on this storage",
    "plimsoll ncio advise ncio-sweep --case nc-nc --count 20000 --size 64 --spacing 512":
      "best method for a pattern, and the gain of a change",
  },
  async run({ arguments: [path], options: given }, context) {
    const loaded = loadSweep(path as string, { point: readPoint, sweep: readSweep });
    const { sweep, missing } = loaded;
    const advice = asksForPattern(given) ? adviseOn(sweep, given, loaded.path) : undefined;
    if (context.json) {
      const { points, ...about } = sweep;
      return context.printJson({
        sweep: { ...about, path: loaded.path, points: points.length, missing },
        ...(advice === undefined ? judgeSweep(sweep) : { advice }),
      });
    }
    const lines = [
      `Sweep      ${loaded.path}: ${formatMany(sweep.points.length, "point")}`,
      ...(missing > 0
        ? [
            `Unfinished ${formatCount(missing)} of ${formatCount(missing + sweep.points.length)} points are missing; verdicts that need them are not measured`,
          ]
        : []),
      ...storageLines(sweep.points, sweep.machine),
      "",
      ...(advice === undefined ? adviceLines(sweep, context.columns) : patternLines(advice, context.columns)),
    ];
    // A file of somebody else may hold what a terminal obeys.
    context.out.write(`${lines.map(plain).join("\n").trimEnd()}\n`);
  },
});

type AdviseValues = OptionValues<typeof options>;

const asksForPattern = ({ case: name, count, size, spacing, ranks, direction }: AdviseValues): boolean =>
  [name, count, size, spacing, ranks, direction].some((value) => value !== undefined);
