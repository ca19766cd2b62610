/** Rules on what is done with files: opened for nothing, never closed, read by all. */
import { formatBytes } from "../../../base/units.ts";
import { fewerBytes, NO_COST, recordedCost } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { type Action, defineRule, limit, type Rule } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor } from "../snippets/index.ts";
import { COUNTERS, spanOfRecord, trust, worstFiles } from "./evidence.ts";
import { bytesMoved, extentOf, heaviest, sum } from "./measures.ts";
import { fileCalls, realFiles } from "./per-job.ts";
import { grouped, many, partOf, percent, secondsText, times } from "./wording.ts";

const unusedFiles = defineRule({
  id: "unused-files",
  title: "Files opened but not used",
  subject: { text: "unused files", plural: true },
  picture: { kind: "files", by: "time" },
  meaning:
    "Many files are opened and closed without a read or write: existence tests, or leftovers in the code.",
  needs: [["POSIX", "STDIO"]],
  thresholds: {
    files: limit`100 files | such files | Plimsoll's choice: fewer take a negligible time`,
    share: limit`0.1 share | part of all files | Plimsoll's choice: some lock and probe files are normal`,
  },
  judge(job, limits, others) {
    const said = others.claimed(["missing-worker-io", "metadata-storm"]);
    const all = realFiles(job);
    const files = all.filter((file) => !said.has(file.fileId) && isUnused(file));
    if (files.length < limits.files || files.length < limits.share * all.length) return undefined;
    const seconds = sum(files, (file) => file.seconds);
    const opens = sum(files, (file) => fileCalls(job, file).opens);
    return {
      cost: recordedCost(
        files.map(({ called }) => ({ record: called, remains: 0 })),
        "all time in these files",
      ),
      measured: { files: files.length, share: files.length / all.length },
      statement: `${partOf(files.length, all.length, "files")} are opened but neither read nor written: ${many(opens, "open")} that take ${secondsText(seconds)} over all ranks.`,
      evidence: {
        numbers: [
          { label: "files without a read or write", value: files.length, unit: "files", of: all.length },
          { label: "their opens", value: opens, unit: "calls" },
          { label: "their time over all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(
          files,
          (file) => file.seconds,
          (file) => `${secondsText(file.seconds)}, ${many(file.called.ranks, "rank")}`,
        ),
      },
      action: {
        change: "Open only files that are used",
        advice: `Test for a file with one access() or stat()${programOf(job).mpi ? " on one rank and broadcast the answer" : ""}; open a file only when it is read or written.`,
        snippet: snippetFor(job, SNIPPETS.accessOnce),
      },
      effect: `${many(opens, "open")} saved, and as many closes.`,
      ...trust(
        job,
        COUNTERS,
        "medium",
        "data that memory mappings or other programs move through them is not recorded",
      ),
    };
  },
});

const unclosedFiles = defineRule({
  id: "unclosed-files",
  title: "Files never closed",
  subject: { text: "files left open", plural: true },
  picture: { kind: "files", by: "time" },
  meaning:
    "Files are opened, but no close is recorded. Written data may reach storage late, or never if the job is killed, and errors reported by close go unnoticed.",
  needs: [["POSIX", "STDIO"]],
  thresholds: {
    written: limit`1 files | written files without a close | Plimsoll's choice: each of them can lose data`,
    others: limit`100 files | other files without a close | Plimsoll's choice: more are a handle leak`,
  },
  judge(job, limits) {
    const all = realFiles(job);
    // A layer without any close in the log does not record them: old versions.
    const told = new Set(
      ["POSIX", "STDIO"].filter((name) => job.layer(name).some(({ closeEnd }) => closeEnd > 0)),
    );
    const files = all.filter((file) => isUnclosed(file, told));
    const written = files.filter(({ bytesWritten }) => bytesWritten > 0);
    const others = files.length - written.length;
    if (written.length < limits.written && others < limits.others) return undefined;
    return {
      cost: NO_COST,
      measured: { written: written.length, others },
      statement: `No close is recorded for ${grouped(files.length)} of ${many(all.length, "file")}; ${grouped(written.length)} of them ${written.length === 1 ? "was" : "were"} written (${formatBytes(sum(written, ({ bytesWritten }) => bytesWritten))}).`,
      evidence: {
        numbers: [
          { label: "files without a close", value: files.length, unit: "files", of: all.length },
          { label: "of these, written files", value: written.length, unit: "files", of: files.length },
        ],
        ...worstFiles(
          files,
          ({ bytesWritten }) => bytesWritten,
          (file) => (file.bytesWritten > 0 ? `${formatBytes(file.bytesWritten)} written` : "not written"),
        ),
      },
      action: {
        change: "Close files after use",
        advice: `Close files as soon as they are finished${programOf(job).mpi ? ", before MPI_Finalize," : ""} and check what close returns.`,
        snippet: snippetFor(job, SNIPPETS.closeChecked),
      },
      effect: "Write errors are noticed, and data is on storage when the step ends.",
      ...trust(
        job,
        COUNTERS,
        "medium",
        "the recorder stops at MPI_Finalize, so a later close is not seen; for files that several ranks use, only the last close is recorded",
      ),
    };
  },
});

const sharedInput = defineRule({
  id: "shared-input",
  title: "Every rank reads the whole input",
  subject: { text: "input read by every rank" },
  picture: { kind: "files", by: "bytes" },
  meaning:
    "All ranks read the same bytes of an input file, so it is read from storage and sent over the network once per rank instead of once.",
  needs: [["POSIX", "STDIO"]],
  thresholds: {
    share: limit`0.9 share | bytes read over ranks × size of the file | Plimsoll's choice: the last ranks may stop early`,
    ranks: limit`8 ranks | ranks that read it | Plimsoll's choice: fewer share a node and its cache`,
    bytes: limit`1e9 bytes | bytes read more than once | Plimsoll's choice: server caches deliver less than that in a second`,
  },
  judge(job, limits) {
    const traced = tracedCopies(job);
    const files = realFiles(job).filter(
      (file) =>
        file.called.ranks >= limits.ranks &&
        copiesOf(file, traced.get(file.fileId)) >= limits.share * file.called.ranks,
    );
    const read = sum(files, ({ bytesRead }) => bytesRead);
    const size = sum(files, extentOf);
    if (files.length === 0 || !(read - size >= limits.bytes)) return undefined;
    const worst = heaviest(files, ({ bytesRead }) => bytesRead);
    const seconds = sum(files, (file) => file.seconds / file.called.ranks);
    const cost = seconds / job.runSeconds;
    const isTraced = traced.has(worst.fileId);
    return {
      cost: fewerBytes(
        files.map((file) => ({
          record: file.called,
          way: "read",
          needed: extentOf(file),
        })),
        "each byte read once, at the rate of all reads; distributing it is not counted",
      ),
      measured: {
        share: copiesOf(worst, traced.get(worst.fileId)) / worst.called.ranks,
        ranks: worst.called.ranks,
        bytes: read - size,
      },
      statement: `${files.length === 1 ? "" : "Up to "}${many(worst.called.ranks, "rank")} read ${many(files.length, "input file")} completely: ${formatBytes(read)} are read for ${formatBytes(size)} of data, ${times(read / size)} as much. A rank spends ${secondsText(seconds)} on this on average, ${percent(cost)} of the run time.`,
      evidence: {
        numbers: [
          { label: "bytes read", value: read, unit: "bytes" },
          { label: "size of these files", value: size, unit: "bytes" },
          { label: "ranks", value: worst.called.ranks, unit: "ranks" },
          { label: "mean time of a rank", value: seconds, unit: "seconds", of: job.runSeconds },
        ],
        ...worstFiles(
          files,
          ({ bytesRead }) => bytesRead,
          (file) => `${formatBytes(file.bytesRead)} read of ${formatBytes(extentOf(file))}`,
        ),
        ...spanOfRecord(worst.called, "read"),
      },
      action: readByOne(job, worst.path),
      effect: `${formatBytes(read - size)} less from storage; the rest comes from memory or over the network.`,
      ...trust(
        job,
        COUNTERS,
        isTraced ? "high" : "medium",
        isTraced
          ? "traces show which bytes each rank read"
          : "counters match ranks × size; ranks that read a part several times would look the same",
      ),
    };
  },
});

export const USE_RULES: readonly Rule[] = [unusedFiles, unclosedFiles, sharedInput];

/** Input that all ranks need: with MPI it crosses the storage once, without it once for each node. */
export const readByOne = (job: Job, path: string): Action =>
  programOf(job).mpi
    ? {
        change: "Read it once and broadcast",
        advice:
          "Let one rank read and broadcast, or read collectively with MPI-IO, which reads each byte once. Where a rank needs only a part, let it read that part.",
        snippet: snippetFor(job, SNIPPETS.broadcastFile, { path }),
      }
    : {
        change: "Share the data on a node",
        advice:
          "Let the processes of a node share the data: with a memory mapping its pages are in memory once, so each node reads the file once.",
        snippet: snippetFor(job, SNIPPETS.broadcastFile, { path }),
      };

function isUnused(file: JobFile): boolean {
  const records = [...file.layers.values()];
  const opened = records.some(({ opens }) => opens > 0);
  return (
    opened &&
    bytesMoved(file) === 0 &&
    records.every(({ reads, writes, mmaps }) => !(reads > 0 || writes > 0 || mmaps > 0))
  );
}

function isUnclosed({ layers }: JobFile, told: ReadonlySet<string>): boolean {
  // fileno() of a stream makes a POSIX record that is never closed: the stream is.
  const record = layers.get("STDIO") ?? layers.get("POSIX");
  return (
    record !== undefined && record.openStart > 0 && Number.isNaN(record.closeEnd) && told.has(record.layer)
  );
}

/** How often the file was read as a whole; zero when it was written too. */
function copiesOf(file: JobFile, traced: number | undefined): number {
  if (file.bytesWritten > 0 || !(file.bytesRead > 0)) return 0;
  return traced ?? file.bytesRead / extentOf(file);
}

/** Different bytes of each rank over different bytes of all, by file; from traces of the layer below MPI-IO. */
function tracedCopies({ trace }: Job): ReadonlyMap<string, number> {
  const copies = new Map<string, number>();
  for (const { fileId, layer, read } of trace?.files ?? []) {
    const copied = read.distinctByRankBytes / read.distinctBytes;
    if (layer === "POSIX" && !Number.isNaN(copied)) copies.set(fileId, copied);
  }
  return copies;
}
