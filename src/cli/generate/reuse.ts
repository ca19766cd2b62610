/** `plimsoll generate reuse`: a synthetic centre with the file reuse of a published study, and its true answers. */
import { formatCount } from "../../base/units.ts";
import { join } from "node:path";
import { commandLine, operand } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import {
  type AnswerSheet,
  CALIBRATED_SCALE,
  expectedRuns,
  INTER_ARRIVALS,
  type InterArrival,
  Population,
} from "../../generate/reuse/index.ts";
import { outsideCount } from "../../generate/compared.ts";
import { joinSlices, writeCentre, writeSlice } from "../../generate/write/reuse.ts";
import { defineCommand } from "../command.ts";
import { comparedTable, OUTPUT, promiseText, requiredOutput, SEED } from "./answers.ts";
import { option } from "../option.ts";
import { parseSlice } from "../slice.ts";

/** More logs than this in one tree are a case for --tables. */
const LOGS_MAX = 20_000_000;

export default defineCommand({
  name: "generate reuse",
  description:
    "Generates Darshan logs of a centre with file reuse as in a published four-month study of a large system, and answers.json with the true result of every analysis next to the published one. --scale sets the number of files that the study selects (1 means 8,500 files with about 47 runs each), --background the rest (1 means 52 million files and 84 million logs); published shares and means hold from --scale 0.1. With --tables the rows go directly into a store, for large sizes. The same options give the same bytes; all output is labelled as synthetic.",
  options: {
    output: OUTPUT,
    scale: option.number(
      "scale factor of the selected set: 1 is 8,500 files and 400,000 logs (0.0001 gives 50 to 150 logs)",
      { min: 0, max: 1000, default: 0.1 },
    ),
    background: option.number("scale factor of the rest: 1 is 52 million files and 84 million logs", {
      min: 0,
      max: 100,
      default: 0.0001,
    }),
    seed: SEED,
    "inter-arrival": option.choice(
      INTER_ARRIVALS,
      "gaps between runs of a file: widely spread, or at least 50 h for 80 % of the files",
      { default: "spread" },
    ),
    "files-per-run": option.whole(
      "merge runs of one user and program that start within 10 minutes, up to N selected files per run",
      { min: 1, max: 1000, default: 1 },
    ),
    contention: option.number(
      "slowdown of a transfer while others demand the full rate of its OST (0: runs do not slow each other down)",
      { min: 0, max: 100, default: 2 },
    ),
    tables: option.flag("write a store (DIR/store) instead of logs (DIR/logs)"),
    buckets: option.whole(
      "with --tables: partition the rows of the store into N buckets, as store compact --buckets N does",
      { min: 1, max: 10_000 },
    ),
    damage: option.flag("also write DIR/damage: broken logs with the expected outcome of each"),
    slice: option.text("I/N", "only slice I of N, such as 3/16; --join N makes one centre of them"),
    join: option.whole("make one centre of the N slices in DIR, with its answers", { min: 1 }),
  },
  examples: {
    "plimsoll generate reuse --output centre": "850 files in about 49,000 logs, and answers.json",
    "plimsoll generate reuse --output centre --scale 0.001 --background 0.000001":
      "a few hundred logs for a first look",
    "plimsoll generate reuse --output centre --scale 1 --background 0.01 --tables": "full size, as a store",
  },
  async run({ options }, context) {
    const { seed, scale, background } = options;
    const out = requiredOutput(options.output);
    const interArrival = options.interArrival as InterArrival;
    const population = new Population({
      seed,
      scale,
      background,
      interArrival,
      filesPerRun: options.filesPerRun,
      contention: options.contention,
    });
    if (!options.tables && expectedRuns(population) > LOGS_MAX) {
      throw new UsageError(
        `about ${formatCount(expectedRuns(population))} logs are too many files; add --tables, or choose a smaller --scale or --background`,
      );
    }
    const { tables, buckets } = options;
    if (buckets !== undefined && !tables) throw new UsageError("--buckets needs --tables");
    if (options.slice !== undefined || options.join !== undefined) {
      if (options.damage) throw new UsageError("--damage cannot be combined with --slice or --join");
      if (options.slice !== undefined && options.join !== undefined)
        throw new UsageError("--slice and --join exclude each other");
      if (options.slice !== undefined) {
        const slice = parseSlice("--slice", options.slice);
        const { part } = await writeSlice(out, population, { tables, buckets, slice }, context);
        if (context.json) context.printJson({ part });
        else context.out.write(`made ${part}\n`);
        return;
      }
    }
    const parts = { tables, buckets, damage: options.damage };
    const { folder, sheet, damaged } =
      options.join === undefined
        ? await writeCentre(out, population, parts, context)
        : {
            ...(await joinSlices(out, population, { tables, of: options.join }, context)),
            damaged: 0,
          };
    const answers = join(folder, "answers.json");
    const { items, comparison } = sheet;
    const outside = outsideCount(comparison);
    const made = join(folder, options.tables ? "store" : "logs");
    if (context.json) {
      const planted = items.A01?.planted;
      context.printJson({
        answers,
        [options.tables ? "store" : "logs"]: made,
        census: planted,
        damaged,
        outside,
      });
    } else context.out.write(summary(sheet, made, answers, options.tables, damaged));
  },
});

function summary(
  { comparison, options }: AnswerSheet,
  made: string,
  answers: string,
  tables: boolean,
  damaged: number,
): string {
  const promise = promiseText(comparison, options.scale, CALIBRATED_SCALE, "files");
  const next = tables
    ? commandLine(["plimsoll", "study", "reuse", "--store", made])
    : commandLine(["plimsoll", "ingest", operand(made), "--store", `${made}-store`]);
  return `Made a synthetic centre in ${made}${damaged > 0 ? ` and ${damaged} damaged logs beside it` : ""}.

${comparedTable([{ label: "item" }, { label: "key", min: 23 }], comparison, ({ item, key }) => [item, key])}

${promise} The answers are in ${answers}. Look further:
  ${next}
`;
}
