/** Access order rules: random and strided. */
import { largerCalls } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import { type Action, defineRule, limit, type Rule } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor } from "../snippets/index.ts";
import { countOf, randomFiles, seekingStreams, type Strided, stridedFiles } from "./access-patterns.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { bytesOf, callsOf, frequentSize, heaviest, KIB, MIB, secondsOf, sum, type Way } from "./measures.ts";
import { ncioSentence } from "./ncio-pattern.ts";
import { layerOf } from "./per-job.ts";
import { costSentence, grouped, many, partOf, percent, sizeText, theseFiles } from "./wording.ts";

function random(way: Way): Rule {
  const what = `${way}s`;
  return defineRule({
    id: `random-${what}`,
    title: way === "read" ? "Random reads" : "Random writes",
    subject: { text: `random ${way}s`, plural: true },
    picture: {
      kind: "numbers",
      beside: "whole",
      words: [`${way === "read" ? "Reads" : "Writes"} that go back in the file`, "go back", `all ${what}`],
    },
    meaning:
      `Many ${what} start before the end of the rank's previous one: neither read-ahead nor merging of ` +
      "neighbouring requests helps. Reading a file again from its beginning does not count." +
      (way === "read" ? " Of C streams, reads that follow a seek and wait for storage." : ""),
    needs: way === "read" ? [["POSIX", "STDIO"]] : [["POSIX"]],
    thresholds: {
      share: limit`0.2 share | ${what} of a file that go backwards; about half do when the order is random | Drishti: random_operations`,
      calls: limit`100 calls | ${what} that go back | Plimsoll's choice: fewer calls are not a pattern; the severity follows from their cost`,
    },
    drishti: way === "read" ? "P11" : "P13",
    judge(job, limits, others) {
      const said = others.claimed(["hdf5-small"], way);
      const posix = randomFiles(job, way, limits).filter(({ record }) => !said.has(record.fileId));
      const streams = posix.length === 0 && way === "read";
      const files = streams ? seekingStreams(job, limits) : posix;
      if (files.length === 0) return undefined;
      const how = streams
        ? "follow a seek of their stream"
        : "begin before the end of the previous one of their rank";
      const records = files.map(({ record }) => record);
      const count = countOf(files);
      const calls = sum(records, (record) => callsOf(record, way));
      const seconds = sum(records, (record) => secondsOf(record, way));
      const usual = frequentSize(records, way);
      const listed: Listed[] = files.map((file) => ({
        record: file.record,
        weight: file.count,
        note: `${grouped(file.count)} of ${many(callsOf(file.record, way), way)} ${streams ? "follow a seek" : "go back"}`,
      }));
      const mpi = files.some(({ record }) => layerOf(job, record, "MPI-IO") !== undefined);
      return {
        cost: largerCalls(
          job,
          records.map((record) => ({ record, way })),
        ),
        measured: { share: count / calls, calls: count },
        statement:
          `${partOf(count, calls, what)} ${way === "read" ? "from" : "to"} ${many(files.length, "file")} ${how}` +
          `${usual === undefined ? "" : `; the most frequent size is ${sizeText(usual)}`}.` +
          costSentence(
            job,
            seconds,
            `${way === "write" ? "Writing" : "Reading"} ${theseFiles(files.length)} takes`,
          ),
        evidence: {
          numbers: [
            {
              label: `${what} that ${streams ? "follow a seek" : "go back"}`,
              value: count,
              unit: "calls",
              of: calls,
            },
            ...(usual === undefined
              ? []
              : [{ label: "most frequent size", value: usual, unit: "bytes", size: true } as const]),
            { label: `time in ${what} of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstRecords(listed),
          ...spanOf(listed, way),
        },
        action: randomAction(job, way, mpi),
        effect:
          way === "read"
            ? "Sorted requests can be merged and prefetched; those that stay scattered no longer fetch unused data."
            : "Sorted requests can be merged into whole stripes before they reach the servers.",
        ...(streams
          ? trust(job, ["STDIO"], "medium", "seeks of streams are counted; where they go is not recorded")
          : trust(
              job,
              ["POSIX"],
              "high",
              "every access is counted; the first access after each open and whole passes are subtracted",
            )),
        claims: records.map(({ fileId }) => ({ fileId, way })),
      };
    },
  });
}

function randomAction(job: Job, way: Way, mpi: boolean): Action {
  const order = way === "read" ? "Sort reads by offset first" : "Sort pieces by offset before writing";
  if (mpi)
    return {
      change: `Sort ${way}s, make one collective call`,
      advice: `${order}, make one collective call (MPI_File_${way}_at_all) with a file view of the pieces; two-phase I/O then moves large contiguous ranges.`,
      snippet: snippetFor(job, SNIPPETS.collectiveCall, { way }),
    };
  return way === "read"
    ? {
        change: "Sort reads by offset",
        advice: `${order}, announce the next pieces with posix_fadvise, and merge neighbours. If every epoch reads the whole file in a different order, read large blocks and shuffle in memory, or copy the file to the nodes first.`,
        snippet: snippetFor(job, SNIPPETS.prefetch),
      }
    : {
        change: "Sort writes by offset",
        advice: `${order} and write runs of neighbours with one call; if data arrives in random order, append to a log and sort it once at the end.`,
        snippet: snippetFor(job, SNIPPETS.sortedWrites),
      };
}

/** Seed 004 (Ching et al., NCIO), section 6. */
const NCIO = "A. Ching et al., NCIO, section 6";
const REGIONS_MANY = 16384;
const SIEVE_GAP_BYTES = KIB;

const noncontiguous = defineRule({
  id: "noncontiguous",
  title: "Strided small accesses",
  subject: { text: "strided small accesses", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Ranks access small pieces at equal gaps, with one POSIX call for each. Given one noncontiguous access, MPI-IO can " +
    "combine them: by datatype I/O, data sieving or two-phase I/O, depending on the size, number and density of the pieces.",
  needs: [["POSIX"]],
  thresholds: {
    share: limit`0.5 share | accesses of a file at one of its four most frequent gaps | Plimsoll's choice: with less, the file as a whole is not strided`,
    calls: limit`1000 calls | strided accesses | as small-writes (Drishti: small_requests_absolute)`,
    bytes: limit`${MIB} bytes, at most | mean size of the pieces | Drishti: small_bytes`,
    regions: limit`${REGIONS_MANY} count | pieces per rank above which two-phase I/O is advised even for ranks that do not wait for each other | ${NCIO}`,
    sieveGap: limit`${SIEVE_GAP_BYTES} bytes | gap up to which data sieving is advised | A. Ching et al., NCIO, section 5.3: sieving wins up to about 1 KByte spacing`,
  },
  judge(job, limits, others) {
    const files = stridedFiles(
      job,
      limits,
      others.claimed(["random-reads", "random-writes", "misaligned", "read-modify-write", "hdf5-small"]),
    );
    if (files.length === 0) return undefined;
    const worst = heaviest(files, (file) => file.count);
    const count = countOf(files);
    const calls = sum(files, ({ record, way }) => callsOf(record, way));
    const seconds = sum(files, ({ record, way }) => secondsOf(record, way));
    const density = worst.regionBytes / (worst.regionBytes + worst.gapBytes);
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.count,
      note: `${many(file.count, `strided ${file.way}`)}: ${sizeText(file.regionBytes)}${file.gapBytes > 0 ? `, then a gap of ${sizeText(file.gapBytes)}` : ""}`,
    }));
    return {
      cost: largerCalls(job, files),
      measured: { share: count / calls, calls: count, bytes: worst.regionBytes },
      statement:
        `${partOf(count, calls, "accesses")} to ${many(files.length, "file")} come at a regular gap: in ${worst.record.path} ` +
        `${job.ranks === 1 ? `the program ${worst.way}s` : `ranks ${worst.way}`} ${sizeText(worst.regionBytes)}${worst.gapBytes > 0 ? ` and skip${job.ranks === 1 ? "s" : ""} ${sizeText(worst.gapBytes)} (${percent(density)} of the range is used${job.ranks === 1 ? "" : " by a rank"})` : ""}.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "strided accesses", value: count, unit: "calls", of: calls },
          { label: "piece", value: worst.regionBytes, unit: "bytes", size: true },
          { label: "gap", value: worst.gapBytes, unit: "bytes", size: true },
          { label: "density", value: density, unit: "share" },
          {
            label: "bytes moved",
            value: sum(files, ({ record, way }) => bytesOf(record, way)),
            unit: "bytes",
          },
          { label: "time in these accesses, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, worst.way),
      },
      action: programOf(job).mpi
        ? {
            change: "Join strided pieces",
            advice: stridedAdvice(job, worst, limits) + ncioSentence(worst.record, worst.way),
            snippet: snippetFor(job, SNIPPETS.vectorView, worst),
          }
        : wholeRanges(job, worst),
      effect: programOf(job).mpi
        ? "One call describes all pieces of a rank, and the library moves large contiguous ranges instead of single pieces."
        : "One call for megabytes instead of one per piece.",
      ...trust(
        job,
        ["POSIX"],
        worst.source === "traces" ? "high" : "medium",
        worst.source === "traces"
          ? "from the offsets of every traced call"
          : "from the four most frequent gaps in the file; which ranks fill each other's gaps is not recorded",
      ),
      claims: files.map(({ record: { fileId }, way }) => ({ fileId, way })),
    };
  },
});

/** Without MPI nobody joins pieces but the program itself. */
function wholeRanges(job: Job, { record, way, gapBytes }: Strided): Action {
  const apart = gapBytes > 0 ? ", or store data that is used together side by side" : "";
  return way === "read"
    ? {
        change: "Read whole ranges, select in memory",
        advice: `Read the range in calls of a few megabytes and select from them in memory${apart}.${ncioSentence(record, way)}`,
        snippet: snippetFor(job, SNIPPETS.readAhead),
      }
    : {
        change: "Change ranges in memory",
        advice: `Assemble a range in memory and write it with one call (read it first if the gaps hold data)${apart}.${ncioSentence(record, way)}`,
        snippet: snippetFor(job, SNIPPETS.updateInMemory),
      };
}

function stridedAdvice(
  job: Job,
  { record, way, count, gapBytes }: Strided,
  limits: { regions: number; sieveGap: number },
): string {
  const perRank = count / record.ranks;
  const dense = gapBytes <= limits.sieveGap;
  const source = `(${NCIO})`;
  if (record.ranks === 1 || job.ranks === 1)
    return dense
      ? `One process makes all the calls and gaps are at most ${sizeText(limits.sieveGap)}: ${way} the whole range in large calls and select in memory (data sieving), or let MPI-IO do it with a file view and romio_ds_${way}=enable ${source}.`
      : `One process makes all the calls: use MPI-IO with a file view (datatype I/O), the best method without other ranks ${source}; above gaps of ${sizeText(limits.sieveGap)} data sieving costs more than it saves, so set romio_ds_${way}=disable.`;
  if (perRank > limits.regions)
    return `Each rank makes about ${grouped(perRank)} accesses, more than ${grouped(limits.regions)} small pieces: use two-phase I/O, that is a file view and MPI_File_${way}_all ${source}. Ranks wait for each other in these calls, so place them where ranks synchronise anyway.`;
  return `Use MPI-IO with a file view instead of a POSIX call per piece. If all ranks ${way} at the same time, MPI_File_${way}_all (two-phase I/O) combines the pieces of all ranks; if not, MPI_File_${way} with the same view (datatype I/O) avoids the waiting${dense ? `, and gaps of at most ${sizeText(limits.sieveGap)} allow data sieving` : ""} ${source}. Larger pieces and smaller gaps help every method.`;
}

export const RANDOM_AND_STRIDED_RULES: readonly Rule[] = [random("read"), random("write"), noncontiguous];
