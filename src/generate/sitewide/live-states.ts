/** States of the servers of a live site: capacity, recovery, evictions and clients of targets; network and services of hosts. */
import { Entry, MD_STATS_ORDER, OST_STATS_ORDER, type Release, statsText } from "./entry.ts";
import type { LiveFiles } from "./live-files.ts";
import type { TargetCounters } from "./servers.ts";

const SECOND = 1_000_000_000n;
/** A target of 100 TB for data or 2 TB for names, 60 % full at first. */
const KILOBYTES = { OST: 100_000_000_000, MDT: 2_000_000_000 };
const INODES = { OST: 400_000_000, MDT: 2_000_000_000 };
/** Clients come back within this time. */
const RECOVERY_NS = 90n * SECOND;
/** Microseconds that a request waits before a thread takes it. */
const WAIT_USECS = 40;

class TargetState {
  evictions = 0;
  bornNs: bigint;
  readonly clients = new Map<string, Entry>();

  constructor(nowNs: bigint) {
    this.bornNs = nowNs;
  }
}

export class LiveStates {
  readonly #files: LiveFiles;
  readonly #states = new Map<TargetCounters, TargetState>();
  readonly #written = new Map<string, string>();

  constructor(files: LiveFiles) {
    this.#files = files;
  }

  #of(target: TargetCounters): TargetState {
    const state = this.#states.get(target) ?? new TargetState(target.all.startNs);
    this.#states.set(target, state);
    return state;
  }

  /** The counters of a client on a target: 10.0.0.7@o2ib for the seventh. */
  client(target: TargetCounters, index: number, nowNs: bigint): Entry {
    const { clients } = this.#of(target);
    const nid = `10.0.${index >> 8}.${index & 255}@o2ib`;
    const entry = clients.get(nid) ?? new Entry(nowNs);
    clients.set(nid, entry);
    entry.lastNs = nowNs;
    return entry;
  }

  /** The server throws a client out; it comes back with counters that begin at 0. */
  evict(target: TargetCounters, index: number): void {
    const state = this.#of(target);
    state.evictions++;
    state.clients.delete([...state.clients.keys()][index] ?? "");
  }

  /** The target begins again. */
  restart(target: TargetCounters, nowNs: bigint): void {
    this.#states.set(target, new TargetState(nowNs));
  }

  /** Another host will have the target's files. */
  move({ name }: TargetCounters): void {
    for (const path of this.#written.keys()) if (path.includes(`/${name}/`)) this.#written.delete(path);
  }

  /** Files of a target; only those that changed. */
  writeTarget(host: string, target: TargetCounters, nowNs: bigint, release: Release): void {
    const { evictions, bornNs, clients } = this.#of(target);
    const { role, name, all } = target;
    const device = `${host}/sys/fs/lustre/${role === "OST" ? "obdfilter" : "mdt"}/${name}`;
    const disk = `${host}/${release === "2.12" ? "proc" : "sys"}/fs/lustre/osd-ldiskfs/${name}`;
    const total = KILOBYTES[role];
    const free = Math.max(0, Math.floor(0.4 * total) - Number(all.write.sum >> 10n));
    const made = all.calls.get("mknod") ?? 0;
    const numbers: [string, number][] = [
      [`${disk}/kbytestotal`, total],
      [`${disk}/kbytesfree`, free],
      [`${disk}/kbytesavail`, Math.max(0, free - Math.floor(0.05 * total))],
      [`${disk}/filestotal`, INODES[role]],
      [`${disk}/filesfree`, Math.max(0, Math.floor(0.7 * INODES[role]) - made)],
      [`${device}/num_exports`, clients.size + 1],
      [`${device}/eviction_count`, evictions],
    ];
    for (const [path, value] of numbers) this.#write(path, `${value}\n`);
    const proc = `${host}/proc/fs/lustre/${role === "OST" ? "obdfilter" : "mdt"}/${name}`;
    this.#write(`${proc}/recovery_status`, recoveryText(bornNs, nowNs, clients.size));
    const order = role === "OST" ? OST_STATS_ORDER : MD_STATS_ORDER;
    // What has not changed keeps its time, so that nothing has to be written again.
    for (const [nid, entry] of clients)
      this.#write(`${proc}/exports/${nid}/stats`, statsText(entry, entry.lastNs, release, order));
  }

  /** Network and requests of a host, from all that its targets did. */
  writeHost(host: string, targets: readonly TargetCounters[]): void {
    let [sent, received, data, names] = [0n, 0n, 0, 0];
    for (const { all, role } of targets) {
      sent += all.read.sum;
      received += all.write.sum;
      if (role === "OST") data += all.read.samples + all.write.samples;
      else for (const count of all.calls.values()) names += count;
    }
    const messages = data + names;
    const lnet = `0 64 0 ${messages} ${messages} 0 0 ${sent} ${received} 0 0\n`;
    this.#write(`${host}/sys/kernel/debug/lnet/stats`, lnet);
    if (data > 0) this.#write(`${host}/proc/fs/lustre/ost/OSS/ost_io/stats`, serviceText(data));
    if (names > 0) this.#write(`${host}/proc/fs/lustre/mds/MDS/mdt/stats`, serviceText(names));
  }

  #write(path: string, text: string): void {
    if (this.#written.get(path) === text) return;
    this.#files.write(path, text);
    this.#written.set(path, text);
  }
}

function recoveryText(bornNs: bigint, nowNs: bigint, clients: number): string {
  const began = bornNs / SECOND;
  if (nowNs - bornNs < RECOVERY_NS)
    return `status: RECOVERING\nrecovery_start: ${began}\ntime_remaining: ${(RECOVERY_NS - nowNs + bornNs) / SECOND}\nconnected_clients: 0/${clients}\n`;
  return `status: COMPLETE\nrecovery_start: ${began}\nrecovery_duration: ${RECOVERY_NS / SECOND}\ncompleted_clients: ${clients}/${clients}\n`;
}

function serviceText(requests: number): string {
  const sum = requests * WAIT_USECS;
  return `req_waittime              ${requests} samples [usecs] 2 900 ${sum} ${sum * WAIT_USECS}\nreq_qdepth                ${requests} samples [reqs] 0 3 0 0\n`;
}
