/** Rules on PnetCDF. */
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, type Rule } from "../rule.ts";
import { SMALL } from "./access-patterns.ts";
import { pnetcdfCollective, pnetcdfNonblocking } from "./snippets-a.ts";
import {
  costSentence,
  grouped,
  type Listed,
  percent,
  several,
  severityOf,
  sizeText,
  spanOf,
  total,
  trust,
  worstFiles,
} from "./words-a.ts";

const independentCalls = (one: LayerRecord) => (one.independentReads || 0) + (one.independentWrites || 0);
const allCalls = (one: LayerRecord) => (one.reads || 0) + (one.writes || 0);
const timeOf = (one: LayerRecord) => (one.readSeconds || 0) + (one.writeSeconds || 0);

const SHARE = 0.5;

/** Variables of files with several ranks that are mostly accessed independently. */
function independentVariables(job: Job, share: number): LayerRecord[] {
  return job
    .layer("PNETCDF_VAR")
    .filter(
      (one) => one.ranks > 1 && independentCalls(one) > 0 && independentCalls(one) >= share * allCalls(one),
    );
}

const independent = defineRule({
  id: "pnetcdf-independent",
  title: "Independent PnetCDF accesses",
  meaning:
    "Variables are accessed in independent data mode by many ranks: requests cannot be joined, and entering and leaving the mode synchronises the file.",
  needs: [["PNETCDF_VAR"]],
  thresholds: {
    share: {
      value: SHARE,
      unit: "share",
      meaning: "independent accesses of all accesses to a variable",
      source: "as independent-mpiio (Drishti: collective_operations)",
    },
    calls: {
      value: 1000,
      unit: "calls",
      meaning: "independent accesses",
      source: "as independent-mpiio (Drishti: collective_operations_absolute)",
    },
  },
  judge(job, limits) {
    const variables = independentVariables(job, limits.share);
    const count = total(variables, independentCalls);
    if (!(count >= limits.calls)) return undefined;
    const calls = total(job.layer("PNETCDF_VAR"), allCalls);
    const seconds = total(variables, timeOf);
    const worst = variables.reduce((a, b) => (independentCalls(b) > independentCalls(a) ? b : a));
    const listed: Listed[] = variables.map((record) => ({
      record,
      weight: independentCalls(record),
      note: `${grouped(independentCalls(record))} of ${grouped(allCalls(record))} accesses independent`,
    }));
    return {
      severity: severityOf(job, seconds),
      statement:
        `${percent(count, calls)} of accesses to PnetCDF variables (${grouped(count)} of ${grouped(calls)}) are independent, on ${several(variables.length, "variable")} used by up to ${several(worst.ranks, "rank")}.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "independent accesses", value: count, unit: "calls", of: calls },
          { label: "time in these accesses, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanOf(listed, worst.bytesWritten >= worst.bytesRead ? "write" : "read"),
      },
      advice:
        "Stay in collective data mode and use the calls that end in _all; ranks without data pass a count of 0. Where ranks have different numbers of pieces, use non-blocking calls and ncmpi_wait_all.",
      snippet: pnetcdfCollective,
      effect: "MPI-IO joins the requests of all ranks (two-phase I/O).",
      ...trust(job, ["PNETCDF_VAR"], "high", "independent and collective accesses are counted apart"),
    };
  },
});

const blocking = defineRule({
  id: "pnetcdf-blocking",
  title: "Many small blocking PnetCDF writes",
  meaning:
    "Variables are written one by one with small blocking collective calls, each of which is a collective MPI-IO write of its own. Non-blocking calls are joined into one.",
  needs: [["PNETCDF_VAR"]],
  thresholds: {
    bytes: {
      value: SMALL.bytes,
      unit: "bytes",
      meaning: "mean size of the writes",
      source: "Drishti: small_bytes",
    },
    calls: {
      value: SMALL.calls,
      unit: "calls",
      meaning: "small blocking writes",
      source: "as small-writes (Drishti: small_requests_absolute)",
    },
    perRank: {
      value: 10,
      unit: "calls",
      meaning: "blocking writes of each rank to variables of a file",
      source: "ours: fewer calls than that leave little to join",
    },
  },
  judge(job, limits) {
    const independentOnes = new Set(independentVariables(job, SHARE));
    const small = job
      .layer("PNETCDF_VAR")
      .filter(
        (one) =>
          !independentOnes.has(one) &&
          one.collectiveWrites > 0 &&
          !(one.nonblockingWrites > 0) &&
          one.bytesWritten < limits.bytes * one.collectiveWrites,
      );
    const perRank = new Map<string, number>();
    for (const one of small)
      perRank.set(one.parentId, (perRank.get(one.parentId) ?? 0) + one.collectiveWrites / one.ranks);
    const variables = small.filter(({ parentId }) => (perRank.get(parentId) as number) >= limits.perRank);
    const count = total(variables, (one) => one.collectiveWrites);
    if (!(count >= limits.calls)) return undefined;
    const writes = total(job.layer("PNETCDF_VAR"), (one) => one.writes);
    const bytes = total(variables, (one) => one.bytesWritten);
    const seconds = total(variables, (one) => one.writeSeconds);
    const listed: Listed[] = variables.map((record) => ({
      record,
      weight: record.collectiveWrites,
      note: `${several(record.collectiveWrites, "blocking write")} of ${sizeText(Math.round(record.bytesWritten / record.collectiveWrites))} on average`,
    }));
    return {
      severity: severityOf(job, seconds),
      statement:
        `${percent(count, writes)} of writes to PnetCDF variables (${grouped(count)} of ${grouped(writes)}) are blocking collective calls of ${sizeText(Math.round(bytes / count))} on average, to ${several(variables.length, "variable")}; no write is non-blocking.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "small blocking writes", value: count, unit: "calls", of: writes },
          { label: "mean size", value: bytes / count, unit: "bytes" },
          { label: "variables", value: variables.length, unit: "count" },
          { label: "time in these writes, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanOf(listed, "write"),
      },
      advice:
        "Post the writes with ncmpi_iput_vara_* (or ncmpi_bput_vara_* when buffers are used again before the wait) and complete all of them with one ncmpi_wait_all.",
      snippet: pnetcdfNonblocking,
      effect: "PnetCDF joins the requests of many variables into one collective MPI-IO write.",
      ...trust(job, ["PNETCDF_VAR"], "high", "blocking and non-blocking writes are counted apart"),
    };
  },
});

export const PNETCDF_RULES: readonly Rule[] = [independent, blocking];
