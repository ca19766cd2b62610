/** Folders of single logs with answers.json: the catalogue, and jobs with twins without their flaws. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Listener } from "../../base/listener.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import { writeFile } from "../../node/write-file.ts";
import { type Cause, drawJob, jobAnswer, twinLog, twinsOf } from "../counterfactual/index.ts";
import type { LogTruth } from "../recorder/record.ts";
import { makeSingle, type SingleLog } from "../single/index.ts";
import { writeAnswers } from "./answers.ts";

const VERSION = 1;

/** What answers.json says of one log of the catalogue. */
export interface SingleAnswer {
  readonly id: string;
  readonly file: string;
  readonly about: string;
  readonly expected: readonly string[];
  readonly facts: LogTruth;
}

/** What answers.json says of one job and its twins. */
export type TwinAnswer = ReturnType<typeof jobAnswer>;

interface Written<Answer> {
  /** Of answers.json. */
  readonly path: string;
  readonly folder: string;
  readonly answers: readonly Answer[];
}

export function writeCatalogue(
  output: string,
  logs: readonly SingleLog[],
  seed: number,
  listener: Listener,
): Promise<Written<SingleAnswer>> {
  return writeScenario({ output, scenario: "single", what: "catalogue" }, listener, async (work) => {
    const answers: SingleAnswer[] = [];
    for (const log of logs) {
      const { bytes, facts } = makeSingle(log, seed, nodeEncoders);
      const file = `${log.id}.darshan`;
      writeFile(join(work, file), bytes);
      answers.push({ id: log.id, file, about: log.about, expected: log.expected, facts });
      await listener.yieldToEvents?.();
    }
    return { answers, sheet: { seed, logs: answers } };
  });
}

/** `causes`: main causes; all of them, decoys and controls when empty. */
export function writeTwins(
  output: string,
  { jobs, seed, causes }: { readonly jobs: number; readonly seed: number; readonly causes: readonly Cause[] },
  listener: Listener,
): Promise<Written<TwinAnswer>> {
  const named = { output, scenario: "counterfactual", what: "set of jobs" };
  return writeScenario(named, listener, async (work) => {
    const answers: TwinAnswer[] = [];
    const progress = listener.progress?.({ label: "making jobs", total: jobs, unit: "jobs" });
    for (let index = 0; index < jobs; index++) {
      const job = drawJob(seed, index, causes);
      for (const twin of twinsOf(job)) {
        writeFile(join(work, twin.file), twinLog(job, twin, nodeEncoders).bytes);
        await listener.yieldToEvents?.();
      }
      answers.push(jobAnswer(job));
      progress?.add(1);
    }
    progress?.end();
    return { answers, sheet: { synthetic: true, seed, jobs: answers } };
  });
}

/** A folder that is there whole or not at all; it replaces only one whose answers name the same scenario. */
async function writeScenario<Answer>(
  named: { readonly output: string; readonly scenario: string; readonly what: string },
  listener: Listener,
  fill: (work: string) => Promise<{ readonly answers: readonly Answer[]; readonly sheet: object }>,
): Promise<Written<Answer>> {
  const { output: path, scenario, what } = named;
  const isOurs = (folder: string): boolean => scenarioOf(folder) === scenario;
  const { folder, result } = await replaceFolder({ path, what, isOurs }, listener, async (work) => {
    const { answers, sheet } = await fill(work);
    writeAnswers(join(work, "answers.json"), { scenario, version: VERSION, ...sheet });
    return answers;
  });
  return { path: join(folder, "answers.json"), folder, answers: result };
}

function scenarioOf(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"))?.scenario;
  } catch {
    return undefined;
  }
}
