/**
 * Every host is a rank of a running MPI job: rank 0 executes the command, the others host writers (`mpi-rank.ts`). Messages of
 * the protocol go straight from rank to rank. A rank that dies usually ends the whole run; otherwise its silence is detected
 * and others do its work, as between processes.
 */
import { deserialize, serialize } from "node:v8";
import { assert } from "../../../base/assert.ts";
import type { Communicator } from "../../../launch/communicator.ts";
import { type HostSetting, machineSeconds } from "../host/setting.ts";
import { type HostOrder, HostsRun } from "./hosts-run.ts";
import type { RunEnd, RunWatch, Transport } from "./transport.ts";
import { type FromRank, machineName, type ToRank } from "./mpi-wire.ts";

/** Max missed heartbeats; as in the protocol. */
const SILENT_BEATS = 4;
/** A write that hangs in the system cannot be stopped. */
const STOP_MS = 3000;
const QUIT_MS = 5000;

export class RankHosts implements Transport {
  readonly name: string;
  readonly #communicator: Communicator;
  #run: RankRun | undefined;
  #runs = 0;
  #left: Set<number>;
  #allLeft: () => void = () => {};

  constructor(communicator: Communicator) {
    this.#communicator = communicator;
    this.name = communicator.name;
    this.#left = new Set(Array.from({ length: communicator.size - 1 }, (_, i) => i + 1));
    void this.#listen();
  }

  /** Max number of writers. */
  get hosts(): number {
    return this.#communicator.size - 1;
  }

  async run(setting: HostSetting, watch: RunWatch): Promise<RunEnd> {
    assert(setting.hosts <= this.hosts, `${setting.hosts} writers on ${this.hosts} ranks`);
    assert(this.#run === undefined, "one run at a time");
    const number = ++this.#runs;
    const tell = (host: number, message: ToRank) => this.#send(host + 1, { ...message, run: number });
    this.#run = new RankRun(setting, watch, number, tell);
    try {
      return await this.#run.run();
    } finally {
      this.#run = undefined;
    }
  }

  /** Dismisses the other ranks; false when some do not respond. No run is possible afterwards. */
  async quit(): Promise<boolean> {
    const all = new Promise<void>((resolve) => (this.#allLeft = resolve));
    for (const rank of this.#left) this.#send(rank, { kind: "quit", run: 0 });
    return this.#left.size === 0 || within(QUIT_MS, all);
  }

  async #listen(): Promise<void> {
    while (this.#left.size > 0) {
      const { from, bytes } = await this.#communicator.receive();
      const message = deserialize(bytes) as FromRank;
      if (message.kind === "bye") this.#left.delete(from);
      else this.#run?.heard(from - 1, message);
    }
    this.#allLeft();
  }

  #send(rank: number, message: ToRank & { readonly run: number }): void {
    this.#communicator.send(rank, serialize(message)).catch((error: unknown) => {
      this.#communicator.abort(`cannot reach rank ${rank}: ${error}`);
    });
  }
}

class RankRun extends HostsRun {
  readonly #number: number;
  readonly #tell: (host: number, message: ToRank) => void;
  #stopped: () => void = () => {};
  readonly #heardAt: number[];
  #watching: NodeJS.Timeout | undefined;

  constructor(
    setting: HostSetting,
    watch: RunWatch,
    number: number,
    tell: (host: number, message: ToRank) => void,
  ) {
    super(setting, watch);
    this.#number = number;
    this.#tell = tell;
    this.#heardAt = Array.from({ length: setting.hosts }, () => machineSeconds());
  }

  protected override begin(): void {
    const machine = machineName();
    for (let host = 0; host < this.setting.hosts; host++)
      this.#tell(host, { kind: "start", setting: this.setting, index: host, machine });
    const { heartbeatSeconds } = this.setting;
    if (heartbeatSeconds > 0)
      this.#watching = setInterval(
        () => this.#findSilent(SILENT_BEATS * heartbeatSeconds),
        250 * heartbeatSeconds,
      );
  }

  protected override send(host: number, order: HostOrder): void {
    this.#tell(host, order);
  }

  heard(host: number, message: FromRank): void {
    if (message.kind === "bye" || message.run !== this.#number || this.states[host] === "gone") return;
    assert(host >= 0 && host < this.setting.hosts, "only ranks that host writers send messages of a run");
    this.#heardAt[host] = machineSeconds();
    switch (message.kind) {
      case "alive":
        return;
      case "clock":
        this.#tell(host, { kind: "clock", elapsed: machineSeconds() - this.setting.beganSeconds });
        return;
      case "ready":
        if (message.pid !== undefined) this.watch.began?.(host, message.pid);
        this.ready(host);
        return;
      case "stopped":
        this.states[host] = "stopped";
        if (this.states.every((state) => state === "stopped" || state === "gone")) this.#stopped();
        return;
      default:
        this.said(host, message);
    }
  }

  #findSilent(limitSeconds: number): void {
    const now = machineSeconds();
    this.states.forEach((state, host) => {
      const silent = now - (this.#heardAt[host] as number);
      if ((state === "starting" || state === "ready") && silent > limitSeconds)
        this.#fellSilent(host, silent);
    });
  }

  #fellSilent(host: number, silentSeconds: number): void {
    assert(
      this.states[host] !== "gone" && this.states[host] !== "ended",
      "a rank dies once, and before its end",
    );
    this.watch.died?.(host, `rank ${host + 1} has been silent for ${Math.round(silentSeconds)} s`);
    // If it was only suspended, it must not take part again.
    this.#tell(host, { kind: "stop" });
    this.gone(host, "no writer responds any more");
  }

  /** After a failure: waits until no rank writes any more, if possible. */
  protected override async end(): Promise<void> {
    clearInterval(this.#watching);
    if (this.fatal === undefined) return;
    const stopped = new Promise<void>((resolve) => (this.#stopped = resolve));
    this.states.forEach((state, host) => {
      if (state !== "gone") this.#tell(host, { kind: "stop" });
    });
    await within(STOP_MS, stopped);
  }
}

async function within(limitMs: number, done: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const result = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return result;
}
