/** Rules on storage that are not about the layout of one file: the set of OSTs, the file system, a stalled call. */
import { formatBytes } from "../../../base/units.ts";
import { atMostAll, NO_COST, unknownCost } from "../cost/remedies.ts";
import type { Job, JobFile, OstLoad } from "../job.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { COUNTERS, spanOfRecord, trust, worstFiles } from "./evidence.ts";
import { bytesMoved, bytesOf, callsOf, heaviest, known, secondsOf, sum, type Way, WAYS } from "./measures.ts";
import { realFiles } from "./per-job.ts";
import { stripesOf } from "./striping.ts";
import {
  grouped,
  many,
  partOfBytes,
  partOfSeconds,
  percent,
  secondsText,
  sizeText,
  times,
} from "./wording.ts";

const LAYOUTS = [["layout"], ["POSIX", "STDIO"]] as const;
const LARGE = limit`10e9 bytes | bytes that the job moves to and from these files | Plimsoll's choice: a few targets deliver 10 GB in seconds`;
const COST = limit`0.05 share | mean I/O time of a rank as part of the run time | Plimsoll's choice: below 5 % of the run a change is hard to measure`;

const fewOsts = defineRule({
  id: "few-osts",
  title: "Many files on few OSTs",
  subject: { text: "few storage targets", plural: true },
  picture: { kind: "targets", by: "bytes" },
  meaning:
    "Files that Lustre would spread by itself lie on a few of the OSTs, mostly because a start index or pool is set on their directory.",
  needs: LAYOUTS,
  thresholds: {
    share: limit`0.25 share, at most | part of the known OSTs that holds 90 % of the bytes | Plimsoll's choice: files placed by Lustre itself reach most targets`,
    osts: limit`8 count | known OSTs: the highest index in the log plus one | Plimsoll's choice: on smaller file systems there is little to gain`,
    files: limit`16 files | files that few ranks use | Plimsoll's choice: enough to expect a spread`,
    bytes: LARGE,
    cost: COST,
  },
  judge(job, limits) {
    const files = realFiles(job).filter(
      (file) => file.called.ranks < 4 && stripesOf(file) > 0 && bytesMoved(file) > 0,
    );
    const knownOsts = job.osts.reduce((most, { ost }) => Math.max(most, ost + 1), 0);
    const bytes = sum(files, bytesMoved);
    if (files.length < limits.files || knownOsts < limits.osts || !(bytes >= limits.bytes)) return undefined;
    const loads = loadsOf(files);
    const holders = holdersOf(loads, 0.9 * bytes);
    const enough = holders.length <= limits.share * Math.min(knownOsts, files.length);
    if (!enough || !(job.io.meanShare >= limits.cost)) return undefined;
    const worst = files[0] as JobFile;
    return {
      cost: unknownCost("the log does not show how much faster more OSTs would be"),
      measured: {
        share: holders.length / Math.min(knownOsts, files.length),
        osts: knownOsts,
        files: files.length,
        bytes,
        cost: job.io.meanShare,
      },
      statement: `${grouped(holders.length)} of at least ${grouped(knownOsts)} OSTs (${holders.slice(0, 8).join(", ")}${holders.length > 8 ? ", …" : ""}) ${holders.length === 1 ? "holds" : "hold"} 90 % of the ${formatBytes(bytes)} moved to and from ${grouped(files.length)} files. I/O takes a rank ${percent(job.io.meanShare)} of the run time on average.`,
      evidence: {
        numbers: [
          {
            label: "OSTs with 90 % of the bytes",
            value: holders.length,
            unit: "count",
            of: knownOsts,
          },
          { label: "bytes", value: bytes, unit: "bytes" },
          {
            label: "mean I/O time of a rank",
            value: job.io.meanSeconds,
            unit: "seconds",
            of: job.runSeconds,
          },
        ],
        ...worstFiles(
          files,
          bytesMoved,
          (file) => `${formatBytes(bytesMoved(file))} on OST ${file.osts.join(", ")}`,
        ),
      },
      action: {
        change: "Spread files over more targets",
        advice:
          "Let Lustre choose the targets: remove start index and pool from the directory. Existing files stay where they are until they are copied or migrated.",
        snippet: snippetFor(job, SNIPPETS.anyOst, { path: worst.path, way: wayOf(files) }),
      },
      effect: `Up to ${times(Math.min(knownOsts, files.length) / holders.length)} as many targets at work.`,
      ...trust(job, COUNTERS, "medium", "the number of OSTs is known only from the highest index in the log"),
    };
  },
});

const ostImbalance = defineRule({
  id: "ost-imbalance",
  title: "Uneven bytes over OSTs",
  subject: {
    text: "unevenly loaded storage targets",
    plural: true,
  },
  picture: { kind: "targets", by: "bytes" },
  meaning: "One OST gets far more of the job's bytes than the others it uses, so the job waits for that one.",
  needs: LAYOUTS,
  thresholds: {
    ratio: limit`2 ratio | bytes of the heaviest OST / mean of the OSTs in use | Plimsoll's choice: round-robin placement of equal files differs by less`,
    osts: limit`4 count | OSTs that are used | Plimsoll's choice: a mean of fewer means little`,
    bytes: LARGE,
    cost: COST,
  },
  judge(job, limits, others) {
    const loads = job.osts.filter((ost) => bytesMoved(ost) > 0);
    const bytes = sum(loads, bytesMoved);
    if (loads.length < limits.osts || !(bytes >= limits.bytes && job.io.meanShare >= limits.cost))
      return undefined;
    const worst = heaviest(loads, bytesMoved);
    const mean = bytes / loads.length;
    const ratio = bytesMoved(worst) / mean;
    const files = realFiles(job).filter(({ osts }) => osts.includes(worst.ost));
    const partOf = (file: JobFile) => bytesMoved(file) / file.osts.length;
    // One large file is a matter of its own layout.
    const byOneFile = files.some((file) => partOf(file) > 0.5 * bytesMoved(worst));
    if (!(ratio >= limits.ratio) || byOneFile || others.speak("few-osts")) return undefined;
    return {
      cost: atMostAll(files, 1 / ratio, "the busiest OST with the mean load, if the job waits for that OST"),
      measured: { ratio, osts: loads.length, bytes, cost: job.io.meanShare },
      statement: `OST ${worst.ost} gets ${partOfBytes(bytesMoved(worst), bytes, "the bytes")}, ${times(ratio)} the mean of the ${grouped(loads.length)} OSTs in use, from ${many(files.length, "file")}.`,
      evidence: {
        numbers: [
          { label: "heaviest OST", value: worst.ost, unit: "index" },
          { label: "its bytes", value: bytesMoved(worst), unit: "bytes", of: bytes },
          { label: "heaviest over mean", value: ratio, unit: "ratio" },
          { label: "OSTs in use", value: loads.length, unit: "count" },
        ],
        ...worstFiles(files, partOf, (file) => `${formatBytes(partOf(file))} on OST ${worst.ost}`),
      },
      action: {
        change: "Spread data evenly over targets",
        advice:
          "Stripe the larger files over more OSTs, chosen by Lustre, so that no target gets several whole files.",
        snippet: snippetFor(job, SNIPPETS.moreStripes, {
          path: (files[0] as JobFile).path,
          stripes: loads.length,
          way: wayOf(files),
        }),
      },
      effect: `Up to ${times(ratio)} the rate in the phase that waits for OST ${worst.ost}.`,
      ...trust(
        job,
        COUNTERS,
        worst.source === "trace" ? "high" : "medium",
        worst.source === "trace"
          ? "traced offsets say which OST each byte went to"
          : "estimated: the bytes of each file are spread evenly over its OSTs",
      ),
    };
  },
});

const NETWORK = /^(nfs|nfs4|cifs|smb3?|9p)$/;
const LOCAL = /^(ext[234]|xfs|btrfs|zfs|tmpfs|ramfs|overlay|f2fs)$/;

const notParallelFs = defineRule({
  id: "not-parallel-fs",
  title: "Bulk data on a file system that is not parallel",
  subject: { text: "a serial file system" },
  picture: { kind: "files", by: "time" },
  meaning:
    "A parallel job moves most of its data on NFS or similar, usually a single server, or on a node-local file system that other nodes cannot see.",
  needs: [["POSIX", "STDIO", "MPI-IO"]],
  thresholds: {
    bytes: limit`1e9 bytes | bytes there | Plimsoll's choice: one server delivers 1 GB in a few seconds`,
    share: limit`0.5 share | part of the job's bytes | Plimsoll's choice: the bulk`,
    ranks: limit`4 ranks | ranks of the job, at least | Plimsoll's choice: fewer do not fill a server`,
    cost: COST,
  },
  judge(job, limits) {
    const all = realFiles(job);
    const told = all.filter((file) => !mayBeParallel(job, file));
    const onNetwork = told.filter(({ fsType }) => NETWORK.test(fsType ?? ""));
    const onNode = told.filter(({ fsType }) => LOCAL.test(fsType ?? ""));
    const [files, remote] =
      sum(onNetwork, bytesMoved) >= sum(onNode, bytesMoved) ? [onNetwork, true] : [onNode, false];
    const bytes = sum(files, bytesMoved);
    const whole = sum(all, bytesMoved);
    if (job.ranks < limits.ranks || !(bytes >= limits.bytes && bytes >= limits.share * whole))
      return undefined;
    if (!(job.io.meanShare >= limits.cost)) return undefined;
    const types = [...new Set(files.map(({ fsType }) => fsType))].join(", ");
    const mounts = [...new Set(files.map(({ mount }) => mount ?? "/"))];
    const snippet = snippetFor(job, SNIPPETS.toScratch, moveOf(files, remote));
    return {
      cost: remote
        ? unknownCost("the log does not show how fast the parallel file system would be")
        : NO_COST,
      measured: { bytes, share: bytes / whole, ranks: job.ranks, cost: job.io.meanShare },
      statement: `${grouped(job.ranks)} ranks move ${partOfBytes(bytes, whole, "their data")} on ${types} (${mounts.slice(0, 3).join(", ")}), ${remote ? "usually a single server for all of them" : "which is local to the node and not visible to others"}. I/O takes a rank ${percent(job.io.meanShare)} of the run time on average.`,
      evidence: {
        numbers: [
          { label: "bytes there", value: bytes, unit: "bytes", of: whole },
          { label: "ranks", value: job.ranks, unit: "ranks" },
          {
            label: "mean I/O time of a rank",
            value: job.io.meanSeconds,
            unit: "seconds",
            of: job.runSeconds,
          },
        ],
        ...worstFiles(files, bytesMoved, (file) => `${formatBytes(bytesMoved(file))} on ${file.fsType}`),
      },
      action: remote
        ? {
            change: "Use the parallel file system",
            advice:
              "Run on the site's parallel file system (often $SCRATCH or $WORK) and copy inputs there first.",
            snippet,
          }
        : {
            change: "Keep lasting files off the node",
            advice:
              "Node-local storage is fast but private to a node and often cleared after the job: keep files that must last, or that other nodes read, on the parallel file system.",
            snippet,
          },
      effect: remote
        ? "The rate of many servers instead of one, and less disturbance for other users of that server."
        : "No speed-up; but the data outlives the job and can be shared.",
      ...trust(
        job,
        COUNTERS,
        remote ? "high" : "medium",
        remote
          ? "the mount table names the type"
          : "the mount table names the type; whether the job ran on one node is not known",
      ),
    };
  },
});

/** Ours: no node runs as many ranks. */
const NODE_RANKS_MOST = 512;

/** Folders that every node has. Another one below the root, such as /eagle, may be a link into /lus/eagle. */
const SYSTEM_FOLDER = /^\/(bin|boot|dev|etc|home|lib\d*|media|mnt|opt|root|run|s?bin|srv|tmp|usr|var)\//;

/**
 * Whatever the mount table says of the path, which may lead through a symbolic link: the file has stripes, or ranks of
 * several nodes share it, or nothing but the root of the file tree was found for it.
 */
function mayBeParallel(job: Job, { stripeCount, osts, called, path, mount }: JobFile): boolean {
  if (stripeCount > 0 || osts.length > 0 || (mount === "/" && !SYSTEM_FOLDER.test(path))) return true;
  return called.ranks > NODE_RANKS_MOST || (called.ranks > 1 && called.ranks === job.ranks && job.nodes > 1);
}

const slowCall = defineRule({
  id: "slow-call",
  title: "A single call took very long",
  subject: { text: "a single long call" },
  picture: { kind: "time" },
  meaning:
    "One read or write took far longer than calls of its size usually do: the file system or the node stalled.",
  needs: [["POSIX", "MPI-IO"]],
  thresholds: {
    ratio: limit`20 ratio | time of the call / mean of its kind in the same file, and / the time of its bytes at the mean rate | Plimsoll's choice: far beyond what queues and caches add`,
    seconds: limit`5 seconds | time of the call | Plimsoll's choice: shorter waits come from flushing buffers`,
    cost: COST,
  },
  judge(job, limits, others) {
    const least = Math.max(limits.seconds, limits.cost * job.runSeconds);
    const stalls = realFiles(job)
      .filter(({ called }) => called.longestReadSeconds >= least || called.longestWriteSeconds >= least)
      .flatMap((file) => WAYS.map((way) => stallOf(file, way)))
      .filter(({ seconds, usual }) => seconds >= least && seconds >= limits.ratio * usual)
      .sort((a, b) => b.seconds - a.seconds);
    const [worst] = stalls;
    if (worst === undefined || others.speak("straggler")) return undefined;
    const { file, way, seconds, bytes, usual } = worst;
    return {
      cost: NO_COST,
      measured: { ratio: seconds / usual, seconds, cost: seconds / job.runSeconds },
      statement: `One ${way} of ${sizeText(bytes)} took ${partOfSeconds(seconds, job.runSeconds, "the run time")}, ${times(seconds / usual)} the usual time of such a call in ${file.path} (${secondsText(usual)}).`,
      evidence: {
        numbers: [
          { label: `longest ${way}`, value: seconds, unit: "seconds", of: job.runSeconds },
          { label: "usual for its size", value: usual, unit: "seconds" },
          { label: "its bytes", value: bytes, unit: "bytes", size: true },
        ],
        files: stalls.slice(0, 10).map((stall) => ({
          fileId: stall.file.fileId,
          path: stall.file.path,
          note: `one ${stall.way}: ${secondsText(stall.seconds)}`,
        })),
        filesTotal: new Set(stalls.map((stall) => stall.file.fileId)).size,
        ...spanOfRecord(file.called, way),
      },
      action: {
        change: "Find what that call waited for",
        advice:
          "Run again: if it does not recur, the file system or the node was busy at that time. If it does, trace the calls and look at when and where it happens.",
        snippet: snippetFor(job, SNIPPETS.traceCalls),
      },
      effect: `Up to ${secondsText(seconds - usual)}, if others wait for this call.`,
      ...trust(
        job,
        COUNTERS,
        "medium",
        "counters keep the longest call of each file, but not its time or rank",
      ),
    };
  },
});

export const OTHER_STORAGE_RULES: readonly Rule[] = [fewOsts, ostImbalance, notParallelFs, slowCall];

/** Inputs, which the job does not write, are copied before it; results that only the node has, after it. */
function moveOf(files: readonly JobFile[], remote: boolean) {
  const results = files.filter(({ bytesWritten }) => bytesWritten > 0);
  const inputs = files.filter(({ bytesRead, bytesWritten }) => bytesRead > 0 && !(bytesWritten > 0));
  const [copy, moved] =
    !remote && results.length > 0
      ? (["after", results] as const)
      : inputs.length > 0
        ? (["before", inputs] as const)
        : (["none", files] as const);
  return { copy, path: heaviest(moved, bytesMoved).path };
}

/** Bytes on each OST, spread evenly over the OSTs of each file. */
function loadsOf(files: readonly JobFile[]): Map<OstLoad["ost"], number> {
  const loads = new Map<number, number>();
  for (const file of files)
    for (const ost of file.osts) loads.set(ost, (loads.get(ost) ?? 0) + bytesMoved(file) / file.osts.length);
  return loads;
}

/** The fewest OSTs that hold this many bytes, the heaviest first. */
function holdersOf(loads: ReadonlyMap<number, number>, bytes: number): number[] {
  const holders: number[] = [];
  let held = 0;
  for (const [ost, load] of [...loads].sort((a, b) => b[1] - a[1])) {
    if (held >= bytes) break;
    holders.push(ost);
    held += load;
  }
  return holders;
}

/** The longest call of a file in one direction, and what it should have taken by the others. */
function stallOf(file: JobFile, way: Way) {
  const { called } = file;
  const [seconds, bytes] =
    way === "read"
      ? [called.longestReadSeconds, called.longestReadBytes]
      : [called.longestWriteSeconds, called.longestWriteBytes];
  // Without the call itself, which would hide among few others.
  const otherSeconds = secondsOf(called, way) - seconds;
  const mean = otherSeconds / (callsOf(called, way) - 1);
  const forBytes = known((bytes * otherSeconds) / (bytesOf(called, way) - bytes));
  return { file, way, seconds, bytes, usual: Math.max(mean, forBytes) };
}
