/** A job as JSON: what scripts rely on. Exact integers are bigints; what was not recorded is null. */
import { largestFirst } from "../../base/order.ts";
import type { ReportInput } from "./input.ts";
import { ioRanksOf } from "./io-ranks.ts";
import type { Job, JobFile } from "./job.ts";
import type { MpiFacts, MpiRank } from "./mpi.ts";
import { layerTimes } from "./layer-times.ts";
import { sumOf } from "./records.ts";
import { longestWaits } from "./phases.ts";
import { tracedMetrics } from "./traced-metrics.ts";
import { answersOf } from "./headline.ts";

const FILES_MAX = 1000;

export function jobSummary({ job, verdicts }: Pick<ReportInput, "job" | "verdicts">) {
  const { io } = job;
  const answers = answersOf(job, verdicts);
  const traced = job.trace === undefined ? undefined : tracedMetrics(job.trace);
  const order = largestFirst(job.files, ({ seconds }) => seconds || 0);
  const files = Array.from(order.subarray(0, FILES_MAX), (index) => job.files[index] as JobFile);
  return {
    job: {
      logs: job.runs.map(({ source }) => source),
      application: [...new Set(job.runs.map(({ application }) => application))].join(", "),
      jobId: [...new Set(job.runs.map(({ jobId }) => jobId))].join(", "),
      ranks: job.ranks,
      startUnixSeconds: orNull(job.startUnixSeconds),
      runSeconds: orNull(job.runSeconds),
      modules: [...job.modules],
      partialModules: [...job.partialModules],
      synthetic: job.runs.some(({ isSynthetic }) => isSynthetic),
    },
    /** Files that were left out of everything here; null when none was. */
    filter: job.filter ?? null,
    verdict: [answers.headline, ...answers.lead].join(" "),
    answers,
    findings: verdicts.findings,
    quiet: verdicts.quiet,
    unjudged: verdicts.unjudged.map(({ id, missing }) => ({ id, missing })),
    metrics: {
      bytesRead: io.bytesReadExact,
      bytesWritten: io.bytesWrittenExact,
      files: job.files.length,
      ioShareAverage: orNull(io.meanShare),
      ioShareSlowest: orNull(io.slowestShare),
      ioSecondsAverage: orNull(io.meanSeconds),
      ioSecondsSlowest: orNull(io.slowestSeconds),
      readSeconds: orNull(io.readSeconds),
      writeSeconds: orNull(io.writeSeconds),
      metadataSeconds: orNull(io.metaSeconds),
      throughputBytesPerSecond: orNull(io.bytesPerSecond),
      layers: layerTimes(job).map(({ layer, read, write, metadata, wait, slowest }) => {
        const records = job.layer(layer);
        const sum = (value: Parameters<typeof sumOf>[1]) => orNull(sumOf(records, value));
        return {
          layer,
          files: records.length,
          bytesRead: sum(({ bytesRead }) => bytesRead),
          bytesWritten: sum(({ bytesWritten }) => bytesWritten),
          reads: sum(({ reads }) => reads),
          writes: sum(({ writes }) => writes),
          opens: sum(({ opens }) => opens),
          averageSeconds: {
            read: orNull(read),
            write: orNull(write),
            metadata: orNull(metadata),
            wait: orNull(wait),
          },
          slowestSeconds: orNull(slowest),
        };
      }),
      /** Of traced calls, by C02–C04; null without traces. */
      traced:
        traced === undefined
          ? null
          : {
              layers: traced.layers.map(({ layer, metrics }) => ({
                layer,
                ...metrics,
                concurrencyMax: job.trace?.layers.find((one) => one.layer === layer)?.concurrency.max ?? null,
              })),
              files: traced.files.slice(0, FILES_MAX).map(({ fileId, layer, metrics, outliers }) => ({
                path: job.file(fileId)?.path ?? null,
                fileId,
                layer,
                ...metrics,
                outliers,
              })),
            },
      critical: criticalSummary(job),
      osts: job.osts,
    },
    files: files.map((file) => ({
      path: file.path,
      fileId: file.fileId,
      layer: file.called.layer,
      shared: file.called.shared,
      ranks: orNull(file.called.ranks),
      /** Ranks that read or write it; null where only the shared record is known, then at least as many. */
      ...ioRanks(job, file),
      slowestRank: orNull(file.called.slowestRank),
      fastestRank: orNull(file.called.fastestRank),
      fastestSeconds: orNull(file.called.fastestSeconds),
      bytesRead: orNull(file.bytesRead),
      bytesWritten: orNull(file.bytesWritten),
      seconds: orNull(file.seconds),
      slowestSeconds: orNull(file.slowestSeconds),
      stripeCount: orNull(file.stripeCount),
      stripeBytes: orNull(file.stripeBytes),
      osts: file.osts,
    })),
    filesTotal: job.files.length,
    /** Folders with all that is below them, most time first; null without files. */
    folders: job.folders() ?? null,
    /** Time in MPI calls; null where APMPI did not record it. */
    mpi: job.mpi === undefined ? null : mpiSummary(job.mpi),
    /** Counters of Cray XC routers; null where APXC did not record them. */
    network:
      job.network === undefined
        ? null
        : {
            ...job.network,
            counters: job.network.counters.map((one) => ({ ...one, spread: orNull(one.spread) })),
          },
    warnings: job.runs.flatMap(({ warnings }) => warnings),
  };
}

function ioRanks(job: Job, file: JobFile) {
  const { ranks, atLeast } = ioRanksOf(job, file);
  return { ioRanks: orNull(ranks), ioRanksAtLeast: atLeast };
}

const WAITS_MAX = 20;

/** What the job waits for; phases and ranks where single calls or a heat map tell them, else null. */
function criticalSummary({ ledger }: Job) {
  const { path } = ledger;
  return {
    seconds: orNull(ledger.seconds),
    countedSeconds: orNull(ledger.countedSeconds),
    source: path?.source ?? "counters",
    phases: path?.phases ?? null,
    /** Longest first. */
    ranks: path === undefined ? null : longestWaits(path.waits).slice(0, WAITS_MAX),
  };
}

function mpiSummary(mpi: MpiFacts) {
  const rank = (one: MpiRank) => ({ ...one, syncSeconds: orNull(one.syncSeconds) });
  return {
    ...mpi,
    ...{ share: orNull(mpi.share), spread: orNull(mpi.spread), syncSeconds: orNull(mpi.syncSeconds) },
    ...{ slowest: rank(mpi.slowest), fastest: rank(mpi.fastest), perRank: mpi.perRank.map(rank) },
    operations: mpi.operations.map((one) => ({
      ...one,
      ...{ spread: orNull(one.spread), syncSeconds: orNull(one.syncSeconds) },
    })),
  };
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
