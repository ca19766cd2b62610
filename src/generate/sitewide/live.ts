/**
 * A site that lives: servers and clients whose files of counters change with time. A folder for each host has the tree
 * that a collector on that host would find. Time goes by in seconds, so the state at a moment does not depend on how
 * often it was looked at. At a higher speed jobs do more in a second of the clock; time stamps, and how long servers remember jobs,
 * are by the clock, as they must be for whoever reads the files.
 */
import { Random } from "../../base/prng.ts";
import { lnetText } from "./client-readings.ts";
import { Entry, LLITE_ORDER, type Release, statsText } from "./entry.ts";
import type { LiveFiles } from "./live-files.ts";
import { LiveStates } from "./live-states.ts";
import { drawJob, LiveJob, type LiveJobSpec, type LiveSums } from "./live-jobs.ts";
import { FILE_SYSTEM } from "./scenario.ts";
import { TargetCounters } from "./servers.ts";
import { STREAM, targetName } from "./site.ts";
import { serverName } from "./target-cells.ts";

const SECOND = 1_000_000_000n;
const CALL_BYTES = 1_048_576;

export interface LiveOptions {
  readonly seed?: number;
  readonly release?: Release;
  /** When the site is first seen, nanoseconds since 1970; servers and clients came up a day before. */
  readonly startNs: bigint;
  readonly osts?: number;
  readonly mdts?: number;
  readonly clients?: number;
  /** Seconds of the site in each second of the clock (1). */
  readonly speed?: number;
  /** Jobs that come by themselves, about this many an hour; 0 for none but those that `startJob` starts. */
  readonly jobsPerHour?: number;
}

interface Client {
  readonly name: string;
  readonly index: number;
  mount: string;
  all: Entry;
  sent: number;
  received: number;
}

export class LiveSite {
  readonly release: Release;
  readonly jobs: LiveJob[] = [];
  readonly #files: LiveFiles;
  readonly #states: LiveStates;
  readonly #random: Random;
  readonly #jobsPerHour: number;
  readonly #targets: TargetCounters[];
  readonly #hosts: string[];
  readonly #osts: number;
  readonly #clients: ReadonlyMap<string, Client>;
  /** Jobs with the second of the site in which they began. */
  readonly #running = new Map<LiveJob, number>();
  readonly #startNs: bigint;
  readonly #speed: number;
  /** Seconds of the site since it was first seen. */
  #second = 0;
  #nextJob = 0;
  #nextAt: number;
  #mounts = 0;

  constructor(options: LiveOptions, files: LiveFiles) {
    const {
      seed = 1,
      release = "2.15",
      startNs,
      osts = 4,
      mdts = 2,
      clients = 4,
      speed = 1,
      jobsPerHour = 60,
    } = options;
    this.release = release;
    this.#files = files;
    this.#states = new LiveStates(files);
    this.#osts = osts;
    this.#jobsPerHour = jobsPerHour;
    this.#random = Random.stream(seed, STREAM.live, 0);
    this.#speed = speed;
    this.#startNs = startNs - (startNs % SECOND);
    this.#nextAt = jobsPerHour > 0 ? this.#second + 1 : Number.POSITIVE_INFINITY;
    const bornNs = this.#startNs - 86_400n * SECOND;
    this.#targets = Array.from({ length: osts + mdts }, (_, i) => {
      const name = `${FILE_SYSTEM}-${targetName({ osts }, i)}`;
      return new TargetCounters(name, i < osts ? "OST" : "MDT", bornNs);
    });
    this.#hosts = this.#targets.map((_, i) => serverName({ osts }, i));
    const names = Array.from({ length: clients }, (_, i) => `node${String(i + 1).padStart(3, "0")}`);
    this.#clients = new Map(
      names.map((name, index) => {
        const counted = { all: new Entry(bornNs), sent: 1_000_000, received: 1_000_000 };
        return [name, { name, index, mount: this.#newMount(), ...counted }];
      }),
    );
    for (const host of [...new Set(this.#hosts), ...names]) this.#writeSettings(host);
    this.#writeAll();
  }

  /** What a clock at the site shows; never later than the time that was given to `advanceTo`. */
  get nowNs(): bigint {
    return this.#startNs + BigInt(Math.floor((this.#second / this.#speed) * 1e9));
  }

  /** Hosts with OSTs or MDTs, and clients. Each has a folder of this name. */
  get servers(): readonly string[] {
    return [...new Set(this.#hosts)];
  }

  get clients(): readonly string[] {
    return [...this.#clients.keys()];
  }

  /** The folder of the client's mount, below `llite`. */
  mountOf(client: string): string {
    return `${FILE_SYSTEM}-${this.#client(client).mount}`;
  }

  /** Lets time pass up to the last whole second of the site before `ns` by the clock, and writes the files again. */
  advanceTo(ns: bigint): void {
    const to = Math.floor((Number(ns - this.#startNs) / 1e9) * this.#speed);
    if (to <= this.#second) return;
    while (this.#second < to) {
      this.#second++;
      this.#tick();
    }
    this.#writeAll();
  }

  /** A job begins with the next second. */
  startJob(spec: LiveJobSpec): LiveJob {
    const job = new LiveJob(spec, this.nowNs);
    this.jobs.push(job);
    this.#running.set(job, this.#second);
    return job;
  }

  endJob(job: LiveJob): void {
    if (!this.#running.delete(job)) return;
    job.endNs = this.nowNs;
  }

  /** All counters of a server begin at 0. */
  restartServer(host: string): void {
    this.#targets.forEach((target, i) => {
      if (this.#hosts[i] !== host) return;
      target.restart(this.nowNs);
      this.#states.restart(target, this.nowNs);
    });
    this.#writeAll();
  }

  /** Another server takes a target over: it is gone from the first one, and its counters begin at 0. */
  failOver(target: number, host: string): void {
    const counters = this.#targets[target] as TargetCounters;
    const before = this.#hosts[target] as string;
    const device = counters.role === "OST" ? "obdfilter" : "mdt";
    for (const tree of ["proc/fs/lustre", "sys/fs/lustre", "sys/kernel/debug/lustre"])
      for (const kind of [device, "osd-ldiskfs"])
        this.#files.remove(`${before}/${tree}/${kind}/${counters.name}`);
    this.#hosts[target] = host;
    this.#states.move(counters);
    counters.restart(this.nowNs);
    this.#states.restart(counters, this.nowNs);
    this.#writeAll();
  }

  /** A target throws one of its clients out. */
  evict(target: number): void {
    this.#states.evict(this.#targets[target] as TargetCounters, 0);
    this.#writeAll();
  }

  /** Another mount of the same file system: counters begin at 0 in another folder. */
  remount(name: string): void {
    const client = this.#client(name);
    this.#files.remove(this.#llite(client));
    client.mount = this.#newMount();
    client.all = new Entry(this.nowNs);
    this.#writeAll();
  }

  #client(name: string): Client {
    const client = this.#clients.get(name);
    if (client === undefined)
      throw new RangeError(`${name} is not a client (have: ${this.clients.join(", ")})`);
    return client;
  }

  #newMount(): string {
    return `ffff8800${(0x10000000 + 0x1000 * ++this.#mounts).toString(16)}`;
  }

  #tick(): void {
    const nowNs = this.nowNs;
    for (const [job, startSecond] of this.#running) {
      const elapsed = this.#second - startSecond;
      this.#work(job, elapsed - 1, nowNs);
      if (elapsed >= job.spec.seconds) this.endJob(job);
    }
    for (const target of this.#targets) target.expire(nowNs);
    if (this.#second >= this.#nextAt) this.#schedule();
  }

  #schedule(): void {
    const busy = new Set([...this.#running.keys()].flatMap(({ spec }) => spec.nodes));
    const free = this.clients.filter((name) => !busy.has(name));
    if (free.length === 0) return;
    const mdts = this.#targets.length - this.#osts;
    this.startJob(drawJob(this.#random, this.#nextJob++, free, { osts: this.#osts, mdts }));
    this.#nextAt = this.#second + 1 + Math.floor(this.#random.exponential(3600 / this.#jobsPerHour));
  }

  /** What a job does in one second of its run. */
  #work(job: LiveJob, second: number, nowNs: bigint): void {
    const { spec } = job;
    const at = second % spec.periodSeconds;
    const written = at < spec.onSeconds ? spec.writeBytes : 0;
    const read = at < spec.onSeconds ? spec.readBytes : 0;
    for (const node of spec.nodes) {
      if (written + read > 0) this.#data(job, node, read, written, nowNs);
      if (at === 0)
        this.#metadata(job, node, { opens: spec.opens, mknods: spec.opens, getattrs: spec.opens }, nowNs);
      // One file of the period stays open.
      if (at === spec.onSeconds - 1 && spec.opens > 1)
        this.#metadata(job, node, { closes: spec.opens - 1 }, nowNs);
    }
  }

  #data(job: LiveJob, node: string, read: number, written: number, nowNs: bigint): void {
    const { osts, jobId } = job.spec;
    const client = this.#client(node);
    let reads = 0;
    let writes = 0;
    osts.forEach((ost, i) => {
      const part = (bytes: number) => Math.floor(bytes / osts.length) + (i < bytes % osts.length ? 1 : 0);
      const [r, w] = [part(read), part(written)];
      const [rCalls, wCalls] = [Math.ceil(r / CALL_BYTES), Math.ceil(w / CALL_BYTES)];
      const target = this.#targets[ost] as TargetCounters;
      if (r + w === 0) return;
      target.data(jobId, nowNs, r, w, rCalls, wCalls);
      const own = this.#states.client(target, client.index, nowNs);
      own.read.add(rCalls, r);
      own.write.add(wCalls, w);
      addTo(job.onTarget(target.name), { bytesRead: r, bytesWritten: w, reads: rCalls, writes: wCalls });
      reads += rCalls;
      writes += wCalls;
    });
    client.all.read.add(reads, read);
    client.all.write.add(writes, written);
    client.sent += written;
    client.received += read;
    for (const sums of [job.total, job.onNodes.get(node) as LiveSums])
      addTo(sums, { bytesRead: read, bytesWritten: written, reads, writes });
  }

  #metadata(job: LiveJob, node: string, calls: Partial<LiveSums>, nowNs: bigint): void {
    const target = this.#targets[this.#osts + job.spec.mdt] as TargetCounters;
    const { opens = 0, closes = 0, mknods = 0, getattrs = 0 } = calls;
    target.calls(job.spec.jobId, nowNs, { open: opens, close: closes, mknod: mknods, getattr: getattrs });
    const client = this.#client(node);
    const own = this.#states.client(target, client.index, nowNs);
    for (const [name, count] of [
      ["open", opens],
      ["close", closes],
      ["mknod", mknods],
      ["getattr", getattrs],
    ] as const)
      for (const entry of [client.all, own]) entry.call(name, count);
    client.sent += 400 * (opens + closes);
    for (const sums of [job.total, job.onNodes.get(node) as LiveSums, job.onTarget(target.name)])
      addTo(sums, calls);
  }

  #writeSettings(host: string): void {
    const at = `${host}/sys/fs/lustre`;
    this.#files.write(`${at}/version`, `${this.release}.${this.release === "2.12" ? "9" : "5"}\n`);
    this.#files.write(`${at}/jobid_var`, "SLURM_JOB_ID\n");
    this.#files.write(`${at}/jobid_name`, "%e.%u\n");
    this.#files.write(`${at}/health_check`, "healthy\n");
  }

  #writeAll(): void {
    const { release, nowNs } = this;
    this.#targets.forEach((target, i) => {
      const host = this.#hosts[i] as string;
      const device = target.role === "OST" ? "obdfilter" : "mdt";
      const folder = `${host}/proc/fs/lustre/${device}/${target.name}`;
      this.#files.write(`${folder}/job_stats`, target.jobStats(release));
      this.#files.write(
        `${folder}/${target.role === "OST" ? "stats" : "md_stats"}`,
        target.stats(nowNs, release),
      );
      this.#files.write(`${folder}/job_cleanup_interval`, "600\n");
      this.#states.writeTarget(host, target, nowNs, release);
      if (target.role === "MDT") return;
      const brw = target.brwStats(nowNs, release);
      if (release === "2.12") {
        this.#files.write(`${folder}/brw_stats`, brw);
        this.#files.write(`${host}/proc/fs/lustre/osd-ldiskfs/${target.name}/brw_stats`, brw);
      } else this.#files.write(`${host}/sys/kernel/debug/lustre/osd-ldiskfs/${target.name}/brw_stats`, brw);
    });
    for (const host of this.servers)
      this.#states.writeHost(
        host,
        this.#targets.filter((_, i) => this.#hosts[i] === host),
      );
    for (const client of this.#clients.values()) {
      const folder = this.#llite(client);
      this.#files.write(`${folder}/stats`, statsText(client.all, nowNs, release, LLITE_ORDER, "regs"));
      for (const name of ["stats_track_pid", "stats_track_ppid", "stats_track_gid"])
        this.#files.write(`${folder}/${name}`, "ignored\n");
      const lnet = lnetText(client.sent, client.received);
      this.#files.write(`${client.name}/sys/kernel/debug/lnet/stats`, lnet);
      if (release === "2.12") this.#files.write(`${client.name}/proc/sys/lnet/stats`, lnet);
    }
  }

  #llite({ name, mount }: Client): string {
    return `${name}/sys/kernel/debug/lustre/llite/${FILE_SYSTEM}-${mount}`;
  }
}

function addTo(sums: LiveSums, more: Partial<LiveSums>): void {
  for (const name in more) {
    const key = name as keyof LiveSums;
    sums[key] += more[key] ?? 0;
  }
}
