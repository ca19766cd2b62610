/** Rules on PnetCDF. */
import { largerLibraryCalls } from "../cost/library-remedies.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { accessesOf, accessSeconds, heaviest, known, mainWay, MIB, sum } from "./measures.ts";
import { costSentence, grouped, many, partOf, sizeText } from "./wording.ts";

const independentCalls = (one: LayerRecord) => known(one.independentReads) + known(one.independentWrites);

const independent = defineRule({
  id: "pnetcdf-independent",
  title: "Independent PnetCDF accesses",
  subject: { text: "independent PnetCDF accesses", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Variables are accessed in independent data mode by many ranks: requests cannot be joined, and entering and leaving the mode synchronises the file.",
  needs: [["PNETCDF_VAR"]],
  thresholds: {
    share: limit`0.5 share | independent accesses of all accesses to a variable | as independent-mpiio (Drishti: collective_operations)`,
    calls: limit`1000 calls | independent accesses | as independent-mpiio (Drishti: collective_operations_absolute)`,
  },
  judge(job, limits) {
    const variables = job
      .layer("PNETCDF_VAR")
      .filter(
        (one) =>
          one.ranks > 1 &&
          independentCalls(one) > 0 &&
          independentCalls(one) >= limits.share * accessesOf(one),
      );
    const count = sum(variables, independentCalls);
    if (!(count >= limits.calls)) return undefined;
    const calls = sum(job.layer("PNETCDF_VAR"), accessesOf);
    const seconds = sum(variables, accessSeconds);
    const worst = heaviest(variables, independentCalls);
    const listed: Listed[] = variables.map((record) => ({
      record,
      weight: independentCalls(record),
      note: `${grouped(independentCalls(record))} of ${grouped(accessesOf(record))} accesses independent`,
    }));
    return {
      cost: largerLibraryCalls(job, variables),
      measured: { share: count / sum(variables, accessesOf), calls: count },
      statement:
        `${partOf(count, calls, "accesses to PnetCDF variables")} are independent, on ${many(variables.length, "variable")}; ${worst.path} is used by ${many(worst.ranks, "rank")}.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "independent accesses", value: count, unit: "calls", of: calls },
          { label: "time in these accesses, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, mainWay(worst)),
      },
      action: {
        change: "Make PnetCDF accesses collective",
        advice:
          "Stay in collective data mode and use the calls that end in _all; ranks without data pass a count of 0. If ranks have different numbers of pieces, use non-blocking calls and ncmpi_wait_all.",
        snippet: snippetFor(job, SNIPPETS.pnetcdfCollective, { way: mainWay(worst) }),
      },
      effect: "MPI-IO combines the requests of all ranks (two-phase I/O).",
      ...trust(job, ["PNETCDF_VAR"], "high", "independent and collective accesses are counted separately"),
      claims: variables.map(({ fileId }) => ({ fileId })),
    };
  },
});

const blocking = defineRule({
  id: "pnetcdf-blocking",
  title: "Many small blocking PnetCDF writes",
  subject: { text: "small PnetCDF writes", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Variables are written one by one with small blocking collective calls, each of which is a separate collective MPI-IO write. Non-blocking calls are combined into one.",
  needs: [["PNETCDF_VAR"]],
  thresholds: {
    bytes: limit`${MIB} bytes, at most | mean size of the writes | Drishti: small_bytes`,
    calls: limit`1000 calls | small blocking writes | as small-writes (Drishti: small_requests_absolute)`,
    perRank: limit`10 calls | blocking writes of each rank to variables of a file | Plimsoll's choice: with fewer calls there is little to combine`,
  },
  judge(job, limits, others) {
    const taken = others.claimed(["pnetcdf-independent"]);
    const small = job
      .layer("PNETCDF_VAR")
      .filter(
        (one) =>
          !taken.has(one.fileId) &&
          one.collectiveWrites > 0 &&
          !(one.nonblockingWrites > 0) &&
          one.bytesWritten < limits.bytes * one.collectiveWrites,
      );
    const perRank = new Map<string, number>();
    for (const one of small)
      perRank.set(one.parentId, (perRank.get(one.parentId) ?? 0) + one.collectiveWrites / one.ranks);
    const variables = small.filter(({ parentId }) => (perRank.get(parentId) as number) >= limits.perRank);
    const count = sum(variables, (one) => one.collectiveWrites);
    if (!(count >= limits.calls)) return undefined;
    const writes = sum(job.layer("PNETCDF_VAR"), (one) => one.writes);
    const bytes = sum(variables, (one) => one.bytesWritten);
    const seconds = sum(variables, (one) => one.writeSeconds);
    const listed: Listed[] = variables.map((record) => ({
      record,
      weight: record.collectiveWrites,
      note: `${many(record.collectiveWrites, "blocking write")} of ${sizeText(Math.round(record.bytesWritten / record.collectiveWrites))} on average`,
    }));
    return {
      cost: largerLibraryCalls(job, variables),
      measured: { bytes: bytes / count, calls: count, perRank: Math.max(...perRank.values()) },
      statement:
        `${partOf(count, writes, "writes to PnetCDF variables")} are blocking collective calls of ${sizeText(Math.round(bytes / count))} on average, to ${many(variables.length, "variable")} without a non-blocking write.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "small blocking writes", value: count, unit: "calls", of: writes },
          { label: "mean size", value: bytes / count, unit: "bytes", size: true },
          { label: "variables", value: variables.length, unit: "count" },
          { label: "time in these writes, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, "write"),
      },
      action: {
        change: "Combine writes with non-blocking calls",
        advice:
          "Post the writes with ncmpi_iput_vara_* (or ncmpi_bput_vara_* after ncmpi_buffer_attach, when the data changes before the wait) and complete all of them with one ncmpi_wait_all.",
        snippet: snippetFor(job, SNIPPETS.pnetcdfNonblocking),
      },
      effect: "PnetCDF combines the requests of many variables into one collective MPI-IO write.",
      ...trust(job, ["PNETCDF_VAR"], "high", "blocking and non-blocking writes are counted separately"),
    };
  },
});

export const PNETCDF_RULES: readonly Rule[] = [independent, blocking];
