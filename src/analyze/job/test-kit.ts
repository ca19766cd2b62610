/** Jobs for tests: from the catalogue of single logs, from planned calls, from the bytes of a log. */
import { Operation, type StripeLayout, type Tables, TablesBuilder } from "../../model/index.ts";
import { type CallStretch, SoundCalls } from "./run-calls.ts";
import { Random } from "../../base/prng.ts";
import { bytesSource } from "../../base/source.ts";
import { importLog, runSpan } from "../../formats/darshan/import.ts";
import { DarshanLog } from "../../formats/darshan/log.ts";
import { makeSingle, SINGLE_LOGS } from "../../generate/single/index.ts";
import { Application } from "../../generate/single/application.ts";
import { recordLog } from "../../generate/recorder/record.ts";
import type { LogPlan } from "../../generate/recorder/calls.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { buildJob, JobStreams } from "./build.ts";
import type { Job } from "./job.ts";

/** The job of one or several logs, given as bytes. */
export function jobOf(...logs: readonly Uint8Array[]): Job {
  return readLogs(logs).job;
}

/** The same with the tables it is built from. */
export function readLogs(logs: readonly Uint8Array[]): { job: Job; tables: Tables } {
  const opened = logs.map((bytes, index) => {
    const name = `test-${index}.darshan`;
    return { name, log: new DarshanLog(bytesSource(bytes, name), { codecs: nodeCodecs }) };
  });
  const streams = new JobStreams(opened.map(({ name, log }) => runSpan(log, name)));
  const tables = new TablesBuilder(streams);
  for (const { name, log } of opened) importLog(log, tables, name);
  const finished = tables.finish();
  return { job: buildJob(finished, streams), tables: finished };
}

/** The job of a log of `plimsoll generate single`. */
export function singleJob(id: string): Job {
  return jobOf(singleLog(id));
}

export function singleLog(id: string): Uint8Array {
  const log = SINGLE_LOGS.find((one) => one.id === id);
  if (log === undefined) throw new Error(`no single log is called ${id}`);
  let bytes = singleLogs.get(id);
  if (bytes === undefined) {
    bytes = makeSingle(log, 1, nodeEncoders).bytes;
    singleLogs.set(id, bytes);
  }
  return bytes;
}

/** Made once for the tests of a process: the log of 10,000 ranks takes a second. */
const singleLogs = new Map<string, Uint8Array>();

/** The job of calls that a test plans itself. */
export function plannedJob(ranks: number, plan: (job: Application) => LogPlan): Job {
  return jobOf(recordLog(plan(new Application(ranks, new Random(1))), nodeEncoders).bytes);
}

/** A call as tests write it; times in nanoseconds. */
export interface TestCall {
  readonly rank: number;
  readonly file: bigint;
  readonly layer: string;
  readonly isWrite: boolean;
  readonly offset: number;
  readonly bytes: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** Calls of one rank on one file, writes first as logs have them, to who takes stretches. */
export function addCalls(
  to: { add(calls: CallStretch, sound: SoundCalls): void },
  calls: readonly TestCall[],
  rank: number,
  shiftNs: number,
  layout?: StripeLayout,
): void {
  for (const operation of [Operation.write, Operation.read]) {
    const own = calls.filter(({ isWrite }) => isWrite === (operation === Operation.write));
    const [first] = own;
    if (first === undefined) continue;
    const column = (value: (call: TestCall) => number) => Float64Array.from(own, value);
    const stretch = {
      ...{
        from: 0,
        to: own.length,
        rank,
        operation,
        shiftNs,
        failed: false,
        collective: false,
        earliestNs: 0,
        layer: first.layer,
      },
      file: { fileId: first.file, ...(layout && { layout }) },
      startNs: column(({ startNs }) => startNs),
      endNs: column(({ endNs }) => endNs),
      bytes: column(({ bytes }) => bytes),
      offset: column(({ offset }) => offset),
    };
    const sound = new SoundCalls();
    sound.take(stretch);
    to.add(stretch, sound);
  }
}
