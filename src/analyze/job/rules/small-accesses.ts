/** Access size rules. alignment.ts has the rules on file offsets. */
import { largerCalls } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, type Claim, type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { BLOCK_BYTES, isCollective, type Matched, smallAccesses, subBlockFiles } from "./access-patterns.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import {
  bytesOf,
  callsOf,
  consecutiveOf,
  endOf,
  frequentSize,
  heaviest,
  MIB,
  secondsOf,
  sum,
  type Way,
} from "./measures.ts";
import { ncioSentence } from "./ncio-pattern.ts";
import { layerOf, stripeOf } from "./per-job.ts";
import { costSentence, grouped, many, partOf, sizeText, theseFiles } from "./wording.ts";

const SMALL_THRESHOLDS = {
  bytes: limit`${MIB} bytes, at most | calls below this are small; all size classes below it count | Drishti: small_bytes`,
  share: limit`0.1 share | small calls of all calls in this direction | Drishti: small_requests`,
  calls: limit`100 calls | small calls | Plimsoll's choice: fewer calls are not a pattern; the severity follows from their cost`,
} as const;

/** Rules that explain small calls better. */
const READ_PATTERNS = [
  "hdf5-small",
  "hdf5-chunk-cache",
  "metadata-storm",
  "open-churn",
  "random-reads",
  "noncontiguous",
  "hdf5-metadata",
  "mpiio-file-view",
  "read-modify-write",
];
const WRITE_PATTERNS = [
  "read-modify-write",
  "hdf5-small",
  "independent-mpiio",
  "write-amplification",
  "misaligned",
  "metadata-storm",
  "open-churn",
  "random-writes",
  "noncontiguous",
  "hdf5-metadata",
  "mpiio-file-view",
  "sub-block-writes",
];

function small(way: Way): Rule {
  const what = `${way}s`;
  return defineRule({
    id: `small-${what}`,
    title: way === "write" ? "Small writes" : "Small reads",
    subject: { text: `small ${way}s`, plural: true },
    picture: { kind: "sizes", way, upTo: "bytes" },
    meaning:
      `Many ${what} move less than 1 MiB each, so the time goes into call overhead instead of into moving data. ` +
      "Random and strided accesses, partial blocks, HDF5 metadata and requests without a file view have separate findings.",
    needs: [["POSIX"]],
    thresholds: SMALL_THRESHOLDS,
    drishti: way === "write" ? "P06" : "P05",
    judge(job, limits, others) {
      const patterns = way === "write" ? WRITE_PATTERNS : READ_PATTERNS;
      const again = others.claimed([way === "write" ? "overwrites" : "re-reads"], way);
      const found = smallAccesses(
        job,
        way,
        limits,
        others.claimed(patterns, way),
        // What one call could move: not the size of the calls but that they are repeated takes the time.
        (record) => again.size > 0 && endOf(record, way) <= limits.bytes && again.has(record.fileId),
      );
      if (found === undefined) return undefined;
      const records = found.files.map(({ record }) => record);
      const cost = largerCalls(
        job,
        records.map((record) => ({ record, way })),
      );
      if (!isWorthIt(job, cost)) return undefined;
      const seconds = sum(records, (record) => secondsOf(record, way));
      const usual = frequentSize(records, way);
      const listed = listOf(
        found.files,
        way,
        (file) => `${many(file.count, `small ${way}`)} of ${grouped(callsOf(file.record, way))}`,
      );
      return {
        cost,
        measured: {
          bytes: sum(records, (one) => bytesOf(one, way)) / sum(records, (one) => callsOf(one, way)),
          share: found.count / found.calls,
          calls: found.count,
        },
        statement:
          `${partOf(found.count, found.calls, what)} move less than ${sizeText(limits.bytes)} ${way === "write" ? "to" : "from"} ${many(found.files.length, "file")}` +
          `${usual !== undefined && usual < limits.bytes ? `; the most frequent size is ${sizeText(usual)}` : ""}.` +
          costSentence(
            job,
            seconds,
            `${way === "write" ? "Writing" : "Reading"} ${theseFiles(found.files.length)} takes`,
          ),
        evidence: {
          numbers: [
            { label: `small ${what}`, value: found.count, unit: "calls", of: found.calls },
            ...(usual === undefined
              ? []
              : [{ label: "most frequent size", value: usual, unit: "bytes", size: true } as const]),
            {
              label: `bytes of all ${what} in these files`,
              value: sum(records, (one) => bytesOf(one, way)),
              unit: "bytes",
            },
            { label: `time in ${what} of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstRecords(listed),
          ...spanOf(listed, way),
        },
        action: smallAction(job, records, way),
        effect: `Fewer and larger requests: each call's latency pays for megabytes instead of ${usual === undefined ? "kilobytes" : sizeText(usual)}.`,
        ...trust(job, ["POSIX"], "high", "every call is counted, by size class"),
        claims: listed,
      };
    },
  });
}

/** Ours: less than this part of the I/O time is what pieces just below a megabyte save. */
const WORTH = 0.001;

/** Without times nobody knows, and the habit may still cost at scale. */
const isWorthIt = (job: Job, cost: CostClaim) =>
  cost.kind !== "remedy" || !(job.ledger.seconds > 0) || job.ledger.gain(cost) >= WORTH * job.ledger.seconds;

/** What can be done depends on who makes the calls: MPI-IO, many ranks on a file, or one. */
function smallAction(job: Job, records: readonly LayerRecord[], way: Way): Action {
  const worst = heaviest(records, (record) => callsOf(record, way));
  const mpi = layerOf(job, worst, "MPI-IO");
  if (isCollective(mpi, way)) {
    const stripe = stripeOf(job, worst);
    return {
      change: "Turn collective buffering on",
      advice:
        "Turn collective buffering on and give aggregators a buffer of at least a stripe: " +
        `${worst.path} is ${way === "write" ? "written" : "read"} collectively, but in small requests to the file system.`,
      snippet: snippetFor(job, SNIPPETS.mpiHints, {
        hints: [
          { key: `romio_cb_${way}`, value: "enable" },
          { key: "cb_buffer_size", value: Math.max(16 * MIB, stripe || 0) },
          { key: `romio_ds_${way}`, value: "disable" },
        ],
      }),
    };
  }
  if (mpi !== undefined)
    return {
      change: `Make one collective ${way}`,
      advice:
        `Let each rank pass all its pieces to one collective call (MPI_File_${way}_at_all, with a file view if they are scattered), ` +
        `so that aggregators combine the pieces of all ranks${firstOf(worst)}.`,
      snippet: snippetFor(job, SNIPPETS.collectiveCall, { way }),
    };
  // Pieces that follow one another need no other rank to become large.
  const alone = consecutiveOf(worst, way) >= 0.5 * callsOf(worst, way);
  if (worst.ranks > 1 && job.facts.has("ranks") && !alone)
    return {
      change: `Combine small ${way}s collectively`,
      advice:
        `Use collective MPI-IO, which combines the pieces of all ranks: ${many(worst.ranks, "rank")} make these calls on ${worst.path}. ` +
        `A rank whose pieces are contiguous can also ${way} megabytes at a time by itself.${ncioSentence(worst, way)}`,
      snippet: snippetFor(job, SNIPPETS.collectiveCall, { way }),
    };
  return way === "write"
    ? {
        change: "Write megabytes at a time",
        advice: `Collect records in a buffer of a few megabytes and write it when it is full${firstOf(worst)}.${ncioSentence(worst, way)}`,
        snippet: snippetFor(job, SNIPPETS.writeBuffer),
      }
    : {
        change: "Read megabytes at a time",
        advice: `Read a few megabytes at a time and pick records from memory${firstOf(worst)}.${ncioSentence(worst, way)}`,
        snippet: snippetFor(job, SNIPPETS.readAhead),
      };
}

/** Nothing where no name is known. */
const firstOf = ({ path }: LayerRecord) => (path.startsWith("(") ? "" : ` (${path} first)`);

const subBlock = defineRule({
  id: "sub-block-writes",
  title: "Scattered writes of partial blocks",
  subject: { text: "writes of partial blocks", plural: true },
  picture: { kind: "sizes", way: "write", upTo: MIB },
  meaning:
    "Many writes are shorter than a file system block (4 KiB) and are not contiguous, so blocks " +
    "are filled piecemeal and may have to be read before they are written.",
  needs: [["POSIX"]],
  thresholds: {
    share: limit`0.1 share | writes below 4 KiB of all writes of a file | as small-writes (Drishti: small_requests)`,
    calls: limit`1000 calls | writes below 4 KiB | as small-writes (Drishti: small_requests_absolute)`,
  },
  judge(job, limits, others) {
    const files = subBlockFiles(
      job,
      limits,
      others.claimed(
        [
          ...["random-writes", "noncontiguous", "hdf5-metadata", "hdf5-small", "metadata-storm"],
          ...["open-churn", "independent-mpiio"],
        ],
        "write",
      ),
    );
    if (files.length === 0) return undefined;
    const records = files.map(({ record }) => record);
    const count = sum(files, (file) => file.count);
    const writes = sum(records, (record) => record.writes);
    const consecutive = sum(records, (record) => record.consecutiveWrites);
    const seconds = sum(records, (record) => record.writeSeconds);
    const listed = listOf(
      files,
      "write",
      (file) => `${many(file.count, "write")} below ${sizeText(BLOCK_BYTES)}`,
    );
    return {
      cost: largerCalls(
        job,
        records.map((record) => ({ record, way: "write" })),
      ),
      measured: { share: count / writes, calls: count },
      statement:
        `${partOf(count, writes, "writes")} to ${many(files.length, "file")} are shorter than a file system block ` +
        `(${sizeText(BLOCK_BYTES)}), and ${consecutive === 0 ? "none" : `only ${grouped(consecutive)}`} of the ${grouped(writes)} start where the previous one ended.` +
        costSentence(job, seconds, `Writing ${theseFiles(files.length)} takes`),
      evidence: {
        numbers: [
          { label: "writes below a block", value: count, unit: "calls", of: writes },
          { label: "consecutive writes", value: consecutive, unit: "calls", of: writes },
          { label: "time in writes of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, "write"),
      },
      action: smallAction(job, records, "write"),
      effect: "Whole blocks reach the servers, so no block has to be read first to be completed.",
      ...trust(
        job,
        ["POSIX"],
        "medium",
        "counted for every call, but the 1–10 KiB class is split only by the four most frequent sizes",
      ),
      claims: listed,
    };
  },
});

function listOf(files: readonly Matched[], way: Way, note: (file: Matched) => string): MatchedFile[] {
  return files.map((file) => new MatchedFile(file, way, note));
}

/** One of very many: its id and its note are written where they are asked for. */
class MatchedFile implements Listed, Claim {
  readonly #file: Matched;
  readonly #note: (file: Matched) => string;
  readonly way: Way;

  constructor(file: Matched, way: Way, note: (file: Matched) => string) {
    this.#file = file;
    this.way = way;
    this.#note = note;
  }

  get record(): LayerRecord {
    return this.#file.record;
  }

  get fileId(): string {
    return this.#file.record.fileId;
  }

  /** By time: a file of settings is read in small calls too. */
  get weight(): number {
    return secondsOf(this.#file.record, this.way) || 1e-9 * this.#file.count;
  }

  get note(): string {
    return this.#note(this.#file);
  }
}

export const SMALL_ACCESS_RULES: readonly Rule[] = [small("write"), small("read"), subBlock];
