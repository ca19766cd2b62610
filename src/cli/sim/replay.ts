/** `plimsoll sim replay`: the experiments of the adaptive I/O paper again, simulated and judged. */
import type { Context } from "../context.ts";
import { thisCommand, wholeText } from "../again.ts";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { replayDocument, replayJson, replayVerdict, samplesCsv } from "../../adaptive/steps/index.ts";
import { readMachine } from "../../adaptive/sim/machines/index.ts";
import { textTable } from "../../base/text-table.ts";
import { machinesWith } from "../../adaptive/paper/replay/machines.ts";
import { type Effort, effortOf, PAPER_EFFORT, selectionOf } from "../../adaptive/paper/replay/parts.ts";
import { type JudgedCheck, type Replay, runReplay } from "../../adaptive/paper/replay/replay.ts";
import { UsageError } from "../../base/errors.ts";
import { formatCount } from "../../base/units.ts";
import { version } from "../../../package.json";
import { defineCommand } from "../command.ts";
import { writeResultFolder } from "../page-output.ts";
import { didYouMean } from "../../base/choice.ts";
import { option } from "../option.ts";

const QUICK_SAMPLES = 3;

const OPTIONS = {
  output: option.output("DIR", "write report, figures and checks to this folder; replaces an earlier replay"),
  samples: option.whole(
    "samples per point of each figure, and ten times as many for Table I (default: as in the paper, 10 for Figs 5 to 7)",
    { min: 2, max: 10_000 },
  ),
  quick: option.flag(`quick look: --samples ${QUICK_SAMPLES}`),
  seed: option.whole("seed of background load, speeds and start times", { min: 0, default: 2010 }),
  only: option.list(
    "ID",
    "run only this part (fig1, fig2, fig3, table1, xtp, fig5, fig6, fig7, policies) or check, such as I6",
  ),
  machine: option.list("FILE.json", "machine file that replaces the built-in machine of the same name"),
  threads: option.whole("number of threads (default: all cores)", { min: 0, max: 1024 }),
};

export default defineCommand({
  name: "sim replay",
  description:
    "Simulates Figures 1, 2, 3, 5, 6, 7 and Table I of the adaptive I/O paper (Lofstead et al., SC '10) with the paper's number of samples and checks every published number and relation: met, missed, not enough samples to decide (with fewer than the paper's), or not run. Adaptive runs use the real protocol code. Also compares the plimsoll policy with the paper's on the same seeds. Samples run on all cores; the result does not depend on their number. With --output it writes a folder: report.html, figures as SVG and CSV, checks.json and samples.csv. All results are labelled as simulated.",
  options: OPTIONS,
  examples: {
    "plimsoll sim replay": "every check on the terminal",
    "plimsoll sim replay -o replay": "full report with the paper's figures",
    "plimsoll sim replay --quick --only fig5 --json": "a few samples of one figure",
  },
  async run({ options }, context) {
    const { quick, samples, seed, output } = options;
    if (quick && samples !== undefined) throw new UsageError("--quick and --samples exclude each other");
    const effort: Effort = quick
      ? effortOf(QUICK_SAMPLES)
      : samples === undefined
        ? PAPER_EFFORT
        : effortOf(samples);
    const selection = selectionOf(options.only, didYouMean);
    const machines = machinesWith(
      options.machine.map((path) => readMachine(readFileSync(path, "utf8"), path)),
    );
    const bar = context.progress({ label: "replay", total: 1, unit: "writes" });
    let expected = 0;
    const replay = await runReplay({
      selection,
      effort,
      seed,
      machines,
      threads: options.threads ?? availableParallelism(),
      signal: context.signal,
      onProgress: (writes, all) => {
        if (expected !== all) bar.expect(all);
        expected = all;
        bar.update(writes);
      },
    });
    bar.end();
    const command = thisCommand(context);
    if (output !== undefined) {
      const document = replayDocument(replay, { command, madeBy: `Plimsoll ${version}` });
      await writeResultFolder(
        {
          path: output,
          what: "replay",
          json: "checks.json",
          kind: "plimsoll replay",
          document,
          files: { "samples.csv": samplesCsv(replay) },
          result: replayJson(replay),
        },
        context,
      );
    }
    if (context.json) context.printJson(replayJson(replay));
    else context.out.write(replayText(replay, context, output));
  },
});

/** The terminal's summary: every check with published beside simulated. */
function replayText(replay: Replay, context: Context, output: string | undefined): string {
  const lines = [
    "Adaptive writing: the paper's experiments, simulated",
    `Ran        ${formatCount(replay.runs)} output steps, ${formatCount(replay.events)} events, ${replay.wallSeconds.toFixed(0)} s on ${replay.threads} threads, seed ${replay.seed}`,
    "",
    replayVerdict(replay.checks),
    "",
    ...checkLines(replay.checks, context.columns),
    output === undefined
      ? wholeText("report", context, "replay").trimEnd()
      : `\nWrote ${output}: report.html, figures, checks.json, samples.csv`,
  ];
  return `${lines.join("\n")}\n`;
}

function checkLines(checks: readonly JudgedCheck[], width: number): string[] {
  return textTable(
    [
      { label: "check" },
      { label: "verdict" },
      { label: "published", max: 32 },
      { label: "simulated", rest: 20 },
    ],
    checks.map((one) => [one.id, one.verdict, one.published, one.measured]),
    { width },
  );
}
