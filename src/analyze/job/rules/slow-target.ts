/** A storage target that is much slower than the others, where the log has no layout: files below one mount point. */
import { formatBytes, formatRate } from "../../../base/units.ts";
import { recordedCost } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { COUNTERS, trust, worstFiles } from "./evidence.ts";
import { accessesOf, accessSeconds, bytesMoved, heaviest, median, MIB, sum } from "./measures.ts";
import { realFiles } from "./per-job.ts";
import { grouped, many, percent, secondsText, times } from "./wording.ts";

/** What is moved below one mount point, or in one folder where no mounts are known. */
interface MountLoad {
  readonly mount: string;
  readonly fsType: string | null;
  readonly files: JobFile[];
  bytes: number;
  bytesRead: number;
  seconds: number;
  calls: number;
}

function mountLoads(job: Job, least: number): MountLoad[] {
  const loads = new Map<string, MountLoad>();
  const isKnown = hasMounts(job);
  for (const file of realFiles(job)) {
    const { fsType, called } = file;
    const mount = isKnown ? file.mount : folderOf(file.path);
    if (mount === null || file.osts.length > 0 || !(bytesMoved(called) > 0)) continue;
    const load = loads.get(mount) ?? {
      ...{ mount, fsType, files: [], bytes: 0, bytesRead: 0, seconds: 0, calls: 0 },
    };
    loads.set(mount, load);
    load.files.push(file);
    load.bytes += bytesMoved(called);
    load.bytesRead += called.bytesRead || 0;
    load.seconds += accessSeconds(called);
    load.calls += accessesOf(called);
  }
  // A few bytes take as long as their latency and say nothing of a target.
  return [...loads.values()].filter(({ bytes, seconds }) => bytes >= least && seconds > 0);
}

/** Recordings do not say what is mounted where; then folders may be targets. */
const hasMounts = (job: Job) => realFiles(job).some(({ mount }) => mount !== null);

function folderOf(path: string): string | null {
  const end = path.lastIndexOf("/");
  return end > 0 ? path.slice(0, end) : null;
}

const perByte = ({ seconds, bytes }: MountLoad) => seconds / bytes;

/** Smaller calls, another direction or another kind of file system would explain the difference. */
function isLike(slow: MountLoad, others: readonly MountLoad[]): boolean {
  const perCall = ({ bytes, calls }: MountLoad) => bytes / calls;
  const readShare = ({ bytes, bytesRead }: MountLoad) => bytesRead / bytes;
  return (
    perCall(slow) >= 0.5 * median(others.map(perCall)) &&
    Math.abs(readShare(slow) - median(others.map(readShare))) <= 0.25 &&
    others.every(({ fsType }) => fsType === slow.fsType)
  );
}

const slowTarget = defineRule({
  id: "slow-target",
  title: "One storage target is much slower",
  subject: { text: "one slow storage target" },
  picture: { kind: "targets", by: "rate" },
  meaning:
    "Files below one mount point (or in one folder, where the input does not name mounts) take much longer for the same bytes than those below others of the same kind. With Lustre layouts in the log, slow-ost names the OST.",
  needs: [["POSIX", "STDIO", "MPI-IO"]],
  thresholds: {
    ratio: limit`3 ratio | seconds per byte / median of the others | Plimsoll's choice: load from other jobs can explain a factor of two`,
    others: limit`2 count | other mount points or folders to compare with | Plimsoll's choice: with only two, either may be the normal one`,
    bytes: limit`${MIB} bytes | bytes moved below each mount point or folder | Plimsoll's choice: less is latency`,
  },
  judge(job, limits) {
    const loads = mountLoads(job, limits.bytes);
    if (loads.length < 1 + limits.others) return undefined;
    const slow = heaviest(loads, perByte);
    const others = loads.filter((load) => load !== slow);
    const typical = median(others.map(perByte));
    const ratio = perByte(slow) / typical;
    if (!(ratio >= limits.ratio && isLike(slow, others))) return undefined;
    const ranks = new Set(slow.files.map(({ called }) => called.slowestRank)).size;
    const all = sum(loads, ({ seconds }) => seconds);
    return {
      cost: recordedCost(
        slow.files.map(({ called }) => ({ record: called, remains: 1 / ratio })),
        `its bytes at the rate of the median of the ${grouped(others.length)} others`,
      ),
      measured: { ratio, others: others.length, bytes: slow.bytes },
      statement: `Files below ${slow.mount} take ${times(ratio)} as long per byte as those below ${grouped(others.length)} others (${formatRate(1 / perByte(slow))} against ${formatRate(1 / typical)}). They take ${percent(slow.seconds, all)} of the time in reads and writes for ${percent(
        slow.bytes,
        sum(loads, ({ bytes }) => bytes),
      )} of the bytes.`,
      evidence: {
        numbers: [
          { label: "its time, all ranks", value: slow.seconds, unit: "seconds", of: all },
          { label: "its bytes", value: slow.bytes, unit: "bytes", of: sum(loads, ({ bytes }) => bytes) },
          { label: "time per byte / median of the others", value: ratio, unit: "ratio" },
          {
            label: hasMounts(job) ? "mount points compared" : "folders compared",
            value: loads.length,
            unit: "count",
          },
        ],
        ranks: [...new Set(slow.files.map(({ called }) => called.slowestRank))].slice(0, 16),
        ...worstFiles(
          slow.files,
          ({ seconds }) => seconds,
          (file) => `${formatBytes(bytesMoved(file))} in ${secondsText(file.seconds)}`,
        ),
      },
      action: {
        change: "Move its files to another target",
        advice: `Put these files ${hasMounts(job) ? "below another mount point" : "into another folder, if it lies on another file system"}, and tell the administrators about ${slow.mount} (possible reasons: a rebuild, a failing disk, another job, nearly full).`,
        snippet: snippetFor(job, SNIPPETS.lookAtMounts),
      },
      effect: "Ranks that use it no longer hold up the others.",
      ...trust(
        job,
        COUNTERS,
        ranks > 1 && hasMounts(job) ? "high" : "medium",
        ranks > 1
          ? `${many(ranks, "rank")} used it${hasMounts(job) ? "" : "; mount points are not recorded"}`
          : "only one rank has files there, so a slow node would look the same",
      ),
      claims: slow.files.map(({ fileId }) => ({ fileId })),
    };
  },
});

export const SLOW_TARGET_RULES: readonly Rule[] = [slowTarget];
