/** `plimsoll ncio`: one pattern, every method, on some storage. */
import { UsageError } from "../base/errors.ts";
import { formatBytes, formatCount } from "../base/units.ts";
import { layoutOf } from "../ncio/run/plan.ts";
import { PATTERN_NAMES } from "../ncio/pattern/index.ts";
import { defineCommand } from "./command.ts";
import { jsonText } from "../base/json.ts";
import { measure } from "./ncio/measure.ts";
import { patternPoints } from "../ncio/run/sweep-setting.ts";
import { common, likePaper } from "./ncio/options.ts";
import { headLines, noteLines, pointLines } from "./ncio/text.ts";
import { writeFile } from "../node/write-file.ts";
import { option } from "./option.ts";

export default defineCommand({
  name: "ncio",
  description:
    "Each rank writes or reads many small regions of one file, contiguous or noncontiguous in memory and in file (c-c, nc-c, c-nc, nc-nc), as in the NCIO benchmark of Ching et al.: with POSIX calls, data sieving, list I/O, datatype I/O or two-phase I/O. Back ends: a folder, storage servers with list and datatype requests, MPI-IO, memory or null. Reports bandwidth and its spread, sync time, requests (checked against closed formulas), BPS and related metrics, and verifies every byte. Further patterns imitate applications: flash, ipars, subarray, hpio.",
  options: {
    ...common,
    pattern: option.choice(PATTERN_NAMES, "equal regions, or an application pattern", { default: "ncio" }),
    shape: option.list(
      "FIELD=VALUE",
      "pattern parameter, such as cells=16 (flash) or grid=64,64,64 (subarray)",
    ),
    output: option.output("FILE.json", "write the points to a file"),
  },
  examples: {
    "plimsoll ncio": "4 ranks, 4096 regions of 8 B, all cases, in this folder",
    "plimsoll ncio --backend servers --servers 4 --case c-nc":
      "all four methods of the paper on four storage servers",
    "plimsoll ncio --backend mpiio -n 4": "MPI-IO, method selected by hints",
    "plimsoll ncio --pattern flash --shape blocks=4 --method posix,two-phase": "FLASH checkpoint pattern",
  },
  ranksTogether: true,
  async run({ options: given }, context) {
    const options = likePaper(given);
    const points = patternPoints(options, options.pattern, fieldsOf(options.shape));
    const { output: _output, memory: _memory, mpiexec: _mpiexec, ...setting } = options;
    const measured = await measure({ options, points, setting }, context);
    if (measured === undefined) return;
    const layout = layoutOf(points);
    const json = { points: measured.points, machine: measured.machine, layout };
    if (options.output !== undefined) writeFile(options.output, `${jsonText(json)}\n`);
    if (context.json) return context.printJson(json);
    const [first] = measured.points;
    const lines = [
      `Pattern    ${options.pattern}: ${formatCount(first?.count ?? 0)} regions per rank of ${formatBytes(first?.size ?? 0)}, one every ${formatBytes(first?.spacing ?? 0)}; ${formatBytes(first?.bytes ?? 0)} in total`,
      ...headLines(measured.points, measured.machine, layout),
      "",
      ...pointLines(measured.points),
      "",
      ...noteLines(measured.points),
    ];
    context.out.write(`${lines.join("\n").trimEnd()}\n`);
  },
});

/** `cells=16`, `order=variable`, `grid=64,64,64`. */
function fieldsOf(list: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    list.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new UsageError(`--shape ${text}: expected FIELD=VALUE, such as cells=16`);
      const [field, value] = [text.slice(0, at), text.slice(at + 1)];
      if (/^\d+(,\d+)+$/.test(value)) return [field, value.split(",").map(Number)];
      return [field, /^-?\d+$/.test(value) ? Number(value) : value];
    }),
  );
}
