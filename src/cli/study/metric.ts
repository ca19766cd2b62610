/** `plimsoll study metric`: the experiments of the BPS paper (He, Sun and Yin, IPDPSW '13) on this machine. */
import { thisCommand } from "../again.ts";
import { tmpdir } from "node:os";
import {
  isSetId,
  metricStudy,
  type ResampleOptions,
  SET_IDS,
  type SetId,
  explainDocument,
  explainFigures,
  explainJson,
  studyJson,
} from "../../analyze/study/metric/index.ts";
import { UsageError } from "../../base/errors.ts";
import { DEVICE_CHOICES } from "../../record/experiment/index.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { writeResultFolder } from "../page-output.ts";
import {
  checkOutput,
  earlierRuns,
  measuredRuns,
  metricFolder,
  simulatedRuns,
} from "../../studies/metric-runs.ts";
import { studyText } from "./metric-text.ts";
import { RECORD_BYTES } from "../../formats/trace/index.ts";
import { renderText } from "../../report/text/index.ts";
import { version } from "../../../package.json";
import { option } from "../option.ts";

export default defineCommand({
  name: "study metric",
  description:
    "Runs the four experiment sets of He, Sun and Yin (IPDPSW '13) without root: device speed (1), record size on a slow and a fast device (2a, 2b), processes with one file each and with a shared file (3a, 3b), data sieving (4, and 4b with small regions). Devices other than the local disk are emulated by delays in the recorder. Every workload runs several times in random order under the recorder; BPS, IOPS, bandwidth and response time are correlated with execution time as in the paper, with confidence intervals, and each published direction is confirmed, refuted or undecided. With --output it writes a folder: report.html, figures as SVG and CSV, runs.csv and study.json. --simulate uses a device model and runs nothing.",
  options: {
    sets: option.text("LIST", "comma-separated sets", { default: SET_IDS.join(",") }),
    repeats: option.whole("repetitions per case (default: 5; quick 2)", { min: 1, max: 1000 }),
    size: option.bytes("data read per run (default: by set, at least 0.2 s per run)", {
      min: 1024 * 1024,
      max: 2 ** 40,
    }),
    quick: option.flag("fewer cases, less data: about half a minute"),
    device: option.choice(DEVICE_CHOICES, "delays in the recorder, the local disk, or automatic per set", {
      default: "auto",
    }),
    dir: option.text("DIR", "folder for data files, removed afterwards (default: temporary folder)"),
    seed: option.whole("random seed of run order and intervals", { min: 0, default: 1 }),
    average: option.choice(
      ["median", "mean"],
      "average over the repetitions of a case; the paper used the mean",
      { default: "median" },
    ),
    replicates: option.whole("random draws per confidence interval", {
      min: 100,
      max: 100_000,
      default: 1000,
    }),
    level: option.number("confidence level", { min: 0.5, max: 0.999, default: 0.95 }),
    simulate: option.flag("run nothing: use a device model (results labelled as simulated)"),
    explain: option.flag(
      "run nothing: the paper's Figures 1 to 3 and its overhead, computed from its drawings",
    ),
    from: option.text("DIR", "run nothing: evaluate the runs of an earlier study again"),
    output: option.output(
      "DIR",
      "write report, figures and runs to this folder; replaces an earlier study. An interrupted study leaves its runs in DIR.partial, for --from",
    ),
  },
  examples: {
    "plimsoll study metric -o metric": "all sets with a report, about four minutes",
    "plimsoll study metric --quick --sets 2a,4": "two sets in a few seconds",
    "plimsoll study metric --simulate": "simulate instead of running",
    "plimsoll study metric --explain": "why BPS: Figures 1 to 3, computed",
    "plimsoll study metric --from metric --average mean": "evaluate earlier runs with another average",
  },
  async run({ options }, context) {
    if (options.explain) return explain(options.output, context);
    const sets = chosenSets(options.sets);
    if (options.simulate && options.from !== undefined)
      throw new UsageError("--simulate and --from exclude each other");
    const resample: ResampleOptions = {
      seed: options.seed,
      replicates: options.replicates,
      level: options.level,
      average: options.average,
    };
    if (options.output !== undefined) checkOutput(options.output);
    const repeats = options.repeats ?? (options.quick ? 2 : 5);
    const { runs, setting } = options.simulate
      ? simulatedRuns(sets, repeats, options.seed)
      : options.from !== undefined
        ? earlierRuns(options.from, sets)
        : await measuredRuns(
            { ...options, sets, repeats, dir: options.dir ?? tmpdir(), keepIn: options.output },
            context,
          );
    const study = metricStudy(runs, setting, resample);
    if (options.output !== undefined) {
      const about = { command: thisCommand(context), madeBy: `Plimsoll ${version}` };
      await writeResultFolder(metricFolder(study, { path: options.output, ...about }), context);
    }
    if (context.json) context.printJson(studyJson(study));
    else {
      context.out.write(studyText(study, context.columns));
      if (options.output !== undefined)
        context.out.write(`\nWrote ${options.output}: report.html, figures, runs.csv, study.json\n`);
    }
  },
});

/** The drawings of the paper, computed: on the terminal, as JSON, or as a folder with a report. */
async function explain(output: string | undefined, context: Context): Promise<void> {
  const document = explainDocument(thisCommand(context), `Plimsoll ${version}`, RECORD_BYTES);
  const result = explainJson(RECORD_BYTES);
  if (output !== undefined)
    await writeResultFolder(
      {
        ...{ path: output, what: "explanation", json: "explain.json", kind: "plimsoll metric explanation" },
        ...{ document, figures: explainFigures(), files: {}, result },
      },
      context,
    );
  if (context.json) return context.printJson(result);
  if (output === undefined)
    context.out.write(renderText(document, { width: context.columns, color: context.color, full: true }));
  else context.out.write(`${document.verdict}\nWrote ${output}: report.html, figures, explain.json\n`);
}

export function chosenSets(text: string): SetId[] {
  const words = text.split(",").map((word) => word.trim());
  // "2" means 2a and 2b.
  const meant = (word: string): readonly SetId[] =>
    isSetId(word) ? [word] : SET_IDS.filter((id) => /^\d$/.test(word) && id.startsWith(word));
  const unknown = words.find((word) => meant(word).length === 0);
  if (unknown !== undefined)
    throw new UsageError(
      `--sets ${text}: no set ${unknown || "without a name"}; choose from ${SET_IDS.join(", ")}`,
    );
  return SET_IDS.filter((id) => words.some((word) => meant(word).includes(id)));
}
