/** `plimsoll ncio sweep`: the three sweeps of the NCIO paper, and what follows from them for this storage. */
import { thisCommand } from "../again.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { adviceLines, pointsCsv, readPoint, sweepDocument, sweepFigures } from "../../ncio/judge/index.ts";
import { formatCount } from "../../base/units.ts";
import type { NcioSweep } from "../../model/index.ts";
import { Journal } from "../../ncio/run/journal.ts";
import { checkSweepFolder, JOURNAL, sweepOf } from "../../ncio/run/load.ts";
import { sweepPoints } from "../../ncio/run/plan.ts";
import { sweepPlan, VARIABLES } from "../../ncio/run/sweep-setting.ts";
import { version } from "../../../package.json";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { jsonText } from "../../base/json.ts";
import { writeFigures, writePage } from "../page-output.ts";
import { measure } from "./measure.ts";
import { common, likePaper } from "./options.ts";
import { headLines, noteLines } from "./text.ts";
import { writeWhole } from "../../node/durable.ts";
import { makeFolder } from "../../node/folders.ts";
import { writeFile } from "../../node/write-file.ts";
import { option } from "../option.ts";

const OPTIONS = {
  ...common,
  vary: option.text("LIST", "comma-separated parameters to vary; custom values as count=1024:4096:16384", {
    default: VARIABLES.join(","),
  }),
  "max-count": option.whole("skip larger region counts", { min: 1 }),
  output: option.text("DIR", "output folder; an interrupted sweep there is resumed", {
    short: "o",
    default: "ncio-sweep",
  }),
};

export default defineCommand({
  name: "ncio sweep",
  description:
    "Runs the three sweeps of the NCIO paper (Ching et al.): region count 2048 to 1048576, size 8 to 4096 bytes, spacing 128 to 4096 bytes, for all cases and methods. Each point is saved before the next starts: the same command resumes an interrupted sweep. Writes a folder: report.html with the paper's Figures 4 to 6 and a verdict on its seven guidelines, figures as SVG and CSV, points.csv and sweep.json.",
  options: OPTIONS,
  examples: {
    "plimsoll ncio sweep --backend servers --pause 0": "all sweeps on four storage servers",
    "plimsoll ncio sweep --vary spacing --case c-nc --dir /lustre/me -n 16 -o lustre":
      "one sweep on a parallel file system",
    "plimsoll ncio advise ncio-sweep": "advice for your pattern",
  },
  ranksTogether: true,
  async run({ options: given }, context) {
    const options = likePaper(given);
    const { output } = options;
    const plan = sweepPlan(options);
    const points = sweepPoints(plan);
    const { output: _output, memory: _memory, mpiexec: _mpiexec, ...setting } = options;
    checkSweepFolder(output);
    const openJournal = () => {
      makeFolder(output);
      return Journal.open(join(output, JOURNAL), setting, Date.now(), readPoint);
    };
    const measured = await measure({ options, points, setting, openJournal }, context);
    if (measured === undefined) return;
    const sweep = sweepOf(plan, points, measured);
    await writeSweep(sweep, output, thisCommand(context), context);
    if (context.json) return context.printJson(sweep);
    const lines = [
      `Sweep      ${formatCount(sweep.points.length)} points`,
      ...headLines(sweep.points, sweep.machine, sweep.layout),
      ...noteLines(sweep.points),
      "",
      ...adviceLines(sweep, context.columns),
      "",
      `Wrote ${output}: report.html, figures, points.csv, sweep.json`,
    ];
    context.out.write(`${lines.join("\n")}\n`);
  },
});

/** `sweep.json` comes last: where it is, all is. */
async function writeSweep(
  sweep: NcioSweep,
  folder: string,
  command: string,
  context: Context,
): Promise<void> {
  rmSync(join(folder, "sweep.json"), { force: true });
  const document = sweepDocument(sweep, { command, madeBy: `Plimsoll ${version}` });
  await writePage(document, join(folder, "report.html"), context);
  await writeFigures(sweepFigures(sweep), folder, context);
  writeFile(join(folder, "points.csv"), pointsCsv(sweep.points));
  writeWhole(join(folder, "sweep.json"), `${jsonText(sweep)}\n`);
}
