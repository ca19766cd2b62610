/** Jobs of one file, jobs made of counters for what the recorder of generate/ does not record, and findings by id. */
import { expect } from "vitest";
import { lustre } from "../../../formats/darshan/modules/index.ts";
import type { ModuleSpec } from "../../../formats/darshan/modules/module.ts";
import { recordId } from "../../../formats/darshan/record-id.ts";
import { type CounterRecord, counterRecord, type DarshanRecord } from "../../../formats/darshan/records.ts";
import { type Application, osts } from "../../../generate/single/application.ts";
import { everyRank } from "../../../generate/single/accesses.ts";
import { beginLog, lustreRecord } from "../../../generate/log-builder.ts";
import type { Finding } from "../../../model/finding.ts";
import { nodeEncoders } from "../../../node/encoders.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import type { Rule } from "../rule.ts";
import { jobOf, plannedJob } from "../test-kit.ts";
import { ACCESSES_RULES } from "./accesses.ts";
import { LIBRARIES_RULES } from "./libraries.ts";
import { MPI_IO_RULES } from "./mpi-io.ts";

/** The rules that are about calls: accesses, MPI-IO, libraries. */
export const CALL_RULES: readonly Rule[] = [...ACCESSES_RULES, ...MPI_IO_RULES, ...LIBRARIES_RULES];

/** What these rules find. Sentences of findings are held to the units that base/units.ts promises. */
export function judged(job: Job, rules: readonly Rule[]): readonly Finding[] {
  const { findings } = judge(job, new Map(), rules);
  for (const finding of findings) expect(mixedUnits(finding)).toEqual([]);
  return findings;
}

/** Sentences with binary and with decimal units. */
function mixedUnits({ statement, advice, effect, confidenceReason, evidence }: Finding): string[] {
  const texts = [statement, advice, effect, confidenceReason, ...evidence.files.map(({ note }) => note)];
  return texts
    .flatMap((text) => text.split(/(?<=\.) /))
    .filter((sentence) => /\d [KMGTPE]iB\b/.test(sentence) && /\d [kMGTPE]B\b/.test(sentence));
}

export const findingsOf = (job: Job): readonly Finding[] => judged(job, CALL_RULES);

export const idsOf = (job: Job): string[] => findingsOf(job).map(({ id }) => id);

export function findingOf(job: Job, id: string): Finding {
  const finding = findingsOf(job).find((one) => one.id === id);
  if (finding === undefined) throw new Error(`no finding ${id}, only ${idsOf(job).join(", ") || "none"}`);
  return finding;
}

export const numberOf = (finding: Finding, label: string): number | undefined =>
  finding.evidence.numbers.find((one) => one.label === label)?.value;

/** All ranks open a file on eight OSTs, do their work and close it. */
export function worked(
  ranks: number,
  work: (job: Application, rank: number, file: string) => void,
  options: { traces?: boolean; alignmentBytes?: number } = {},
) {
  return plannedJob(ranks, (job) => {
    const file = job.lustre("data", osts(0, 8), { alignmentBytes: options.alignmentBytes ?? 4096 });
    job.compute(1);
    everyRank(job, file, (rank) => work(job, rank, file));
    return job.plan("test", { traces: options.traces ?? false });
  });
}

export interface CountersOfFile {
  readonly module: ModuleSpec;
  readonly path: string;
  /** -1, the default: all ranks together. */
  readonly rank?: number;
  /** Path of the file that a dataset or variable lies in. */
  readonly parent?: string;
  /** Counters without the prefix of the module. */
  readonly values: Readonly<Record<string, number>>;
}

export interface StripesOfFile {
  readonly path: string;
  readonly osts: readonly number[];
  readonly stripeBytes: number;
}

/** A run of 100 seconds with these counters. */
export function countersJob(
  ranks: number,
  records: readonly CountersOfFile[],
  stripes: readonly StripesOfFile[] = [],
): Job {
  const names = new Set([...records, ...stripes].map(({ path }) => path));
  for (const { parent } of records) if (parent !== undefined) names.add(parent);
  const { sink, writer } = beginLog(
    { program: "test", jobId: 1, ranks, seconds: 100, madeBy: "a test", encoders: nodeEncoders },
    Array.from(names, (name) => ({ id: recordId(name), name })),
  );
  const modules = new Map<ModuleSpec, DarshanRecord[]>();
  for (const record of records) {
    const own = modules.get(record.module);
    if (own === undefined) modules.set(record.module, [toRecord(record)]);
    else own.push(toRecord(record));
  }
  if (stripes.length > 0)
    modules.set(
      lustre,
      stripes.map(({ path, osts, stripeBytes }) => lustreRecord(recordId(path), -1, osts, stripeBytes)),
    );
  const slotOf = ([module]: readonly [ModuleSpec, unknown]) => module.slots.at(-1) as number;
  for (const [module, own] of [...modules].sort((a, b) => slotOf(a) - slotOf(b))) writer.module(module, own);
  writer.finish();
  return jobOf(sink.bytes());
}

function toRecord({ module, path, rank = -1, parent, values }: CountersOfFile): CounterRecord {
  const prefix = module.name === "MPI-IO" ? "MPIIO_" : `${module.name}_`;
  const counters = Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
  return counterRecord(
    module,
    { id: recordId(path), rank },
    counters,
    parent === undefined ? {} : { fileId: recordId(parent) },
  );
}
