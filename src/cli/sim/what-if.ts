/** `plimsoll sim what-if`: a site's own recorded runs again, without one of them, without a target, or under a policy. */
import { thisCommand } from "../again.ts";
import { readFileSync } from "node:fs";
import { checkPlanted, plantedRemovals } from "../../adaptive/sim/what-if/planted.ts";
import {
  plantedDocument,
  plantedVerdict,
  whatIfDocument,
  whatIfVerdict,
} from "../../adaptive/steps/index.ts";
import { systemReason, UsageError } from "../../base/errors.ts";
import { policyNamed } from "../../adaptive/protocol/index.ts";
import { type Question, whatIf, type WhatIfData } from "../../adaptive/sim/what-if/what-if.ts";
import { version } from "../../../package.json";
import { defineCommand, type OptionValues } from "../command.ts";
import type { Context } from "../context.ts";
import { showDocument } from "../show-document.ts";
import { ENGINE_OPTIONS, withStore } from "../store/options.ts";
import { didYouMean } from "../../base/choice.ts";
import { option } from "../option.ts";

const OPTIONS = {
  store: option.text("DIR", "store to read"),
  "remove-run": option.text("ID", "remove this run"),
  "remove-target": option.text("OST", "remove this target: 7 or OST0007"),
  policy: option.text(
    "NAME[,NAME…]",
    "write the run given by --around under these policies: paper, plimsoll, static",
  ),
  answers: option.text(
    "FILE",
    "test the replay instead, on the known removals in answers.json of plimsoll generate reuse",
  ),
  around: option.text(
    "RUN|TIME",
    "centre of the time window: a run id or a time (default: the removed run, or the run with the most bytes on the target)",
  ),
  hours: option.number("hours before and after", { min: 0, max: 10_000, default: 1 }),
  output: option.output("FILE.html", "write the answer as one HTML file"),
  ...ENGINE_OPTIONS,
};

type WhatIfValues = OptionValues<typeof OPTIONS>;

export default defineCommand({
  name: "sim what-if",
  description:
    "Fits a storage model to the recorded runs of a store (rate per OST, limit per program, cost of sharing), replays the runs around a point in time with and without one change, and reports the effect: which runs gain, which lose, how the target load shifts. The change is to remove a run, to remove a target (its data moves to the others), or to write one run's data under a policy of the adaptive writer. The result is simulated and reports its error: predicted against recorded I/O times of runs left out of the fit. If half of the runs left out of the fit are off by more than 10 %, or the runs in question by more than 25 %, it gives no answer.",
  options: OPTIONS,
  examples: {
    "plimsoll sim what-if --store centre --remove-run 4200211856437560615": "effect of one run on the others",
    "plimsoll sim what-if --store centre --remove-target 7 --around 2017-11-22T13:00 -o ost7.html":
      "effect of an OST outage, as HTML",
    "plimsoll sim what-if --store centre --policy paper,plimsoll --around 4200211856437560615":
      "the same run with the adaptive writer",
    "plimsoll sim what-if --store centre/store --answers centre/answers.json":
      "prediction error on a generated centre",
  },
  async run({ options }, context) {
    const { store: path } = options;
    const asked = [options.removeRun, options.removeTarget, options.policy, options.answers].filter(
      (one) => one !== undefined,
    );
    if (path === undefined) throw new UsageError("--store is missing: name a store folder");
    if (asked.length !== 1)
      throw new UsageError("no change given: choose one of --remove-run, --remove-target and --policy");
    if (options.answers !== undefined) return judge(path, options.answers, options, context);
    const question = questionOf(path, options);
    question.policies?.forEach(policyNamed);
    const data = await withStore(options, (db) => whatIf(db, question, didYouMean));
    const document = whatIfDocument(data, { command: thisCommand(context), madeBy: `Plimsoll ${version}` });
    const { output } = options;
    await showDocument(document, { output, full: true, json: () => whatIfJson(data) }, context);
  },
});

/** The planted questions of a generated centre, and how far the answers are from the truth. */
async function judge(store: string, path: string, options: WhatIfValues, context: Context): Promise<void> {
  const removals = plantedRemovals(readText(path), path);
  const check = await withStore(options, (db) => {
    const bar = context.progress?.({ label: "replay", total: removals.length, unit: "removals" });
    return checkPlanted(db, { store, hours: options.hours }, removals, async () => {
      bar?.add(1);
      await context.yieldToEvents?.();
    }).finally(() => bar?.end());
  });
  const command = thisCommand(context);
  const document = plantedDocument(check, { command, madeBy: `Plimsoll ${version}` });
  const json = () => ({ synthetic: true, simulated: true, verdict: plantedVerdict(check), ...check });
  await showDocument(document, { output: options.output, full: true, json }, context);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError(`cannot read ${path}: ${systemReason(cause) ?? (cause as Error).message}`, {
      cause,
    });
  }
}

const questionOf = (
  store: string,
  { removeRun, removeTarget, policy, around, hours }: WhatIfValues,
): Question => ({
  ...{ store, removeRun, removeTarget, around, hours },
  policies: policy?.split(",").map((one) => one.trim()),
});

function whatIfJson(data: WhatIfData): unknown {
  const { answer, policy, ...rest } = data;
  return {
    simulated: true,
    verdict: whatIfVerdict(data),
    ...rest,
    ...(answer && {
      ...{ changed: answer.changed, unchanged: answer.unchanged },
      ...{ removed: answer.removed ?? null, targets: answer.targets },
    }),
    ...(policy && {
      ...{ run: policy.run.id, bytes: policy.bytes, recordedSeconds: policy.recordedSeconds },
      ...{ replayedSeconds: policy.replayedSeconds, policies: policy.times },
    }),
  };
}
