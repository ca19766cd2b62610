/** `plimsoll sim what-if`: a site's own recorded runs again, without one of them, without a target, or under a policy. */
import { whatIfDocument, type WhatIfData, whatIfVerdict } from "../../adaptive/steps/index.ts";
import { UsageError } from "../../base/errors.ts";
import type { Queryable } from "../../model/index.ts";
import { policyNamed } from "../../adaptive/protocol/index.ts";
import { renderText } from "../../report/text/index.ts";
import { type Answer, withoutRun, withoutTarget } from "../../adaptive/sim/what-if/answer.ts";
import { type Fit, fitStorage, nearestRuns } from "../../adaptive/sim/what-if/fit.ts";
import { type PolicyAnswer, underPolicies } from "../../adaptive/sim/what-if/policy.ts";
import { readRuns } from "../../adaptive/sim/what-if/recorded.ts";
import {
  type Centre,
  findCentre,
  findRun,
  findTarget,
  fitWindow,
  requireTargets,
  targetNumber,
  windowOf,
} from "../../adaptive/sim/what-if/select.ts";
import { version } from "../../../package.json";
import { defineCommand } from "../command.ts";
import { writePage } from "../page-output.ts";
import { ENGINE_OPTIONS, storeOptions } from "../store/options.ts";
import { didYouMean } from "../suggest.ts";

export default defineCommand({
  name: "sim what-if",
  description:
    "Fits a storage model to the recorded runs of a store (rate per OST, limit per program, cost of sharing), replays the runs around a point in time with and without one change, and reports the effect: which runs gain, which lose, how the target load shifts. The change is to remove a run, to remove a target (its data moves to the others), or to write one run's data under a policy of the adaptive writer. The result is simulated and reports its error: predicted against recorded I/O times of runs left out of the fit.",
  options: {
    store: { kind: "string", valueName: "DIR", help: "store to read" },
    "remove-run": { kind: "string", valueName: "ID", help: "remove this run" },
    "remove-target": { kind: "string", valueName: "OST", help: "remove this target: 7 or OST0007" },
    policy: {
      kind: "string",
      valueName: "NAME[,NAME…]",
      help: "write the run given by --around under these policies: paper, plimsoll, static",
    },
    around: {
      kind: "string",
      valueName: "RUN|TIME",
      help: "center of the time window: a run id or a time (default: the removed run, or the run with the most bytes on the target)",
    },
    hours: {
      kind: "number",
      min: 0,
      max: 10_000,
      default: 1,
      help: "hours before and after",
    },
    output: { kind: "string", short: "o", valueName: "FILE.html", help: "write the answer as one HTML file" },
    ...ENGINE_OPTIONS,
  },
  examples: [
    {
      command: "plimsoll sim what-if --store centre --remove-run 4200211856437560615",
      does: "effect of one run on the others",
    },
    {
      command: "plimsoll sim what-if --store centre --remove-target 7 --around 2017-11-22T13:00 -o ost7.html",
      does: "effect of an OST outage, as HTML",
    },
    {
      command: "plimsoll sim what-if --store centre --policy paper,plimsoll --around 4200211856437560615",
      does: "the same run with the adaptive writer",
    },
  ],
  async run({ options }, context) {
    const { store: path } = options;
    const asked = [options.removeRun, options.removeTarget, options.policy].filter(
      (one) => one !== undefined,
    );
    if (path === undefined) throw new UsageError("--store is missing: name a store folder");
    if (asked.length !== 1)
      throw new UsageError("no change given: choose one of --remove-run, --remove-target and --policy");
    if (options.policy !== undefined) for (const name of policiesOf(options.policy)) policyNamed(name);
    const { Store } = await import("../../store/index.ts");
    const store = await Store.open(path, storeOptions(options));
    const session = await store.query();
    let data: WhatIfData;
    try {
      data = await ask(session, { ...options, store: path });
    } finally {
      session.close();
      await store.close();
    }
    const document = whatIfDocument(data, { command: commandLine(options), madeBy: `Plimsoll ${version}` });
    if (options.output !== undefined) await writePage(document, options.output, context);
    if (context.json) context.printJson(whatIfJson(data));
    else if (options.output !== undefined)
      context.out.write(`${document.verdict}\nWrote ${options.output}\n`);
    else
      context.out.write(renderText(document, { width: context.columns, color: context.color, full: true }));
  },
});

interface Asked {
  readonly store: string;
  readonly removeRun?: string | undefined;
  readonly removeTarget?: string | undefined;
  readonly policy?: string | undefined;
  readonly around?: string | undefined;
  readonly hours: number;
}

const policiesOf = (text: string): string[] => text.split(",").map((one) => one.trim());

async function ask(db: Queryable, asked: Asked): Promise<WhatIfData> {
  await requireTargets(db, asked.store);
  const target = asked.removeTarget === undefined ? undefined : targetNumber(asked.removeTarget);
  const centre = await centreOf(db, asked, target);
  const window = await windowOf(db, centre, asked.hours);
  const { runs, leftOut } = await readRuns(db, window);
  const { runs: wide } = await readRuns(db, await fitWindow(db, window));
  if (runs.length === 0)
    throw new UsageError(`no run with OSTs, bytes and times lies in the window; widen it with --hours`);
  const subject = asked.removeRun ?? (asked.policy === undefined ? undefined : centre.run);
  if (subject !== undefined && !runs.some(({ id }) => id === subject))
    throw new UsageError(
      `run ${subject} has no accesses with OSTs, bytes and times, so it cannot be replayed`,
    );
  const fit = fitStorage(nearestRuns(wide, (window.from + window.to) / 2));
  return {
    store: asked.store,
    question: questionOf(asked, target, subject),
    ...window,
    runs: runs.length,
    leftOut,
    fit: fitFacts(fit),
    ...answerOf(asked, target, subject, runs, fit),
  };
}

async function centreOf(db: Queryable, asked: Asked, target: number | undefined): Promise<Centre> {
  // An unknown run or target is told first, whatever window was asked for.
  const own =
    asked.removeRun !== undefined
      ? await findRun(db, asked.removeRun, didYouMean)
      : target !== undefined
        ? await findTarget(db, target)
        : undefined;
  if (asked.around === undefined) {
    if (own === undefined) throw new UsageError("--policy needs --around RUN: the run to rewrite");
    return own;
  }
  const centre = await findCentre(db, asked.around, didYouMean);
  if (asked.policy !== undefined && centre.run === undefined)
    throw new UsageError("--policy needs --around RUN: the run to rewrite, not a time");
  return centre;
}

function questionOf(asked: Asked, target: number | undefined, subject: string | undefined): string {
  if (asked.policy !== undefined) return `run ${subject} under ${policiesOf(asked.policy).join(", ")}`;
  return target === undefined ? `without run ${subject}` : `without target ${target}`;
}

function answerOf(
  asked: Asked,
  target: number | undefined,
  subject: string | undefined,
  runs: Parameters<typeof withoutRun>[0],
  { storage }: Fit,
): { answer: Answer } | { policy: PolicyAnswer } {
  if (asked.policy !== undefined)
    return { policy: underPolicies(runs, subject as string, policiesOf(asked.policy), storage) };
  if (target !== undefined) return { answer: withoutTarget(runs, target, storage) };
  return { answer: withoutRun(runs, subject as string, storage) };
}

const fitFacts = ({ storage, error, runs, transfers }: Fit): WhatIfData["fit"] => ({
  error,
  runs,
  transfers,
  targets: storage.targets.length,
  usualRate: storage.usualRate,
  lossPerStream: storage.lossPerStream,
  limitQuantile: storage.limitQuantile,
});

function commandLine(options: Omit<Asked, "store"> & { readonly store?: string | undefined }): string {
  const words = [`plimsoll sim what-if --store ${options.store}`];
  if (options.removeRun !== undefined) words.push(`--remove-run ${options.removeRun}`);
  if (options.removeTarget !== undefined) words.push(`--remove-target ${options.removeTarget}`);
  if (options.policy !== undefined) words.push(`--policy ${options.policy}`);
  if (options.around !== undefined) words.push(`--around ${options.around}`);
  return `${words.join(" ")} --hours ${options.hours} -o what-if.html`;
}

function whatIfJson(data: WhatIfData): unknown {
  const { answer, policy, ...rest } = data;
  return {
    simulated: true,
    verdict: whatIfVerdict(data),
    ...rest,
    ...(answer === undefined
      ? {}
      : {
          changed: answer.changed,
          unchanged: answer.unchanged,
          removed: answer.removed ?? null,
          targets: answer.targets,
        }),
    ...(policy === undefined
      ? {}
      : {
          run: policy.run.id,
          bytes: policy.bytes,
          recordedSeconds: policy.recordedSeconds,
          replayedSeconds: policy.replayedSeconds,
          policies: policy.times,
        }),
  };
}
