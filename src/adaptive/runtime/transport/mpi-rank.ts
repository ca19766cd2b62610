/** A rank that hosts writers until rank 0 dismisses it. */
import { assert } from "../../../base/assert.ts";
import { deserialize, serialize } from "node:v8";
import type { Communicator } from "../../../launch/communicator.ts";
import { Host } from "../host/host.ts";
import { type HostSetting, hostOfRank, machineSeconds } from "../host/setting.ts";
import { type FromRank, machineName, type ToRank } from "./mpi-wire.ts";
import { packMessage, unpackMessage } from "./wire.ts";

const PROGRESS_MS = 100;
const ROOT = 0;
/** The fastest of these answers gives the best estimate of the clock offset. */
const CLOCK_ROUNDS = 8;

type Start = Extract<ToRank, { kind: "start" }>;
type FromRun = FromRank extends infer One ? (One extends { run: number } ? Omit<One, "run"> : never) : never;

/** `machine` is for tests. */
export async function serveWrites(communicator: Communicator, machine = machineName()): Promise<void> {
  let hosted: Hosted | undefined;
  // A message of another rank can overtake rank 0's start of the run.
  const early: { run: number; message: ToRank }[] = [];
  for (;;) {
    const { bytes } = await communicator.receive();
    const { run, ...message } = deserialize(bytes) as ToRank & { run: number };
    if (message.kind === "quit") break;
    if (message.kind === "start") {
      hosted = new Hosted(communicator, run, message as Start, machine);
      for (const one of early.splice(0)) if (one.run === run) hosted.take(one.message);
    } else if (hosted?.run === run) hosted.take(message as ToRank);
    else if (hosted === undefined || run > hosted.run) early.push({ run, message: message as ToRank });
  }
  await hosted?.stop();
  await communicator.send(ROOT, serialize({ kind: "bye" } satisfies FromRank));
}

/** One run of one host. */
class Hosted {
  readonly run: number;
  readonly #communicator: Communicator;
  readonly #start: Start;
  readonly #sharesClock: boolean;
  #host: Host | undefined;
  #going = false;
  /** It has closed its files itself. */
  #ended = false;
  #stopping: Promise<void> | undefined;
  /** Messages before the start: all hosts start on the same message. */
  readonly #waiting: (() => void)[] = [];
  readonly #clocks: { readonly tripSeconds: number; readonly beganSeconds: number }[] = [];
  #askedAt = 0;
  /** MPI does not report the death of a rank. */
  readonly #alive: NodeJS.Timeout | undefined;
  #requests = 0;
  readonly #paced = new Map<number, (seconds: number) => void>();
  /** Writes waiting for a throttled target; they must not delay a stop. */
  readonly #held = new Set<() => void>();
  #progress: number[] = [];
  #progressTimer: NodeJS.Timeout | undefined;

  constructor(communicator: Communicator, run: number, start: Start, machine: string) {
    this.run = run;
    this.#communicator = communicator;
    this.#start = start;
    this.#sharesClock = machine === start.machine;
    const { heartbeatSeconds } = start.setting;
    if (heartbeatSeconds > 0)
      this.#alive = setInterval(() => this.#tell({ kind: "alive" }), 1000 * heartbeatSeconds);
    if (this.#sharesClock) this.#makeHost(start.setting);
    else this.#askClock();
  }

  take(message: ToRank): void {
    if (this.#stopping !== undefined && message.kind !== "stop") return;
    switch (message.kind) {
      case "clock":
        this.#learnClock(message.elapsed);
        return;
      case "go":
        assert(!this.#going && this.#host !== undefined, "a run begins once, when its host is ready");
        this.#going = true;
        this.#host?.start();
        for (const one of this.#waiting.splice(0)) one();
        return;
      case "deliver": {
        const deliver = () => this.#host?.deliver(message.from, message.to, unpackMessage(message.message));
        if (this.#going) deliver();
        else this.#waiting.push(deliver);
        return;
      }
      case "paced":
        this.#paced.get(message.request)?.(message.seconds);
        this.#paced.delete(message.request);
        return;
      case "lost":
        this.#host?.lost(message.ranks);
        return;
      case "stop":
        void this.stop().then(() => this.#tell({ kind: "stopped" }));
        return;
    }
  }

  stop(): Promise<void> {
    clearTimeout(this.#progressTimer);
    clearInterval(this.#alive);
    for (const [, resume] of this.#paced) resume(0);
    for (const go of this.#held) go();
    const running = this.#ended ? undefined : this.#host;
    this.#stopping ??= running?.stop() ?? Promise.resolve();
    return this.#stopping;
  }

  #askClock(): void {
    this.#askedAt = machineSeconds();
    this.#tell({ kind: "clock" });
  }

  /** The answer was sent about halfway between question and now. */
  #learnClock(elapsed: number): void {
    const now = machineSeconds();
    assert(now >= this.#askedAt && this.#clocks.length < CLOCK_ROUNDS, "an answer comes after its question");
    this.#clocks.push({
      tripSeconds: now - this.#askedAt,
      beganSeconds: (this.#askedAt + now) / 2 - elapsed,
    });
    if (this.#clocks.length < CLOCK_ROUNDS) {
      this.#askClock();
      return;
    }
    const [best] = this.#clocks.sort((a, b) => a.tripSeconds - b.tripSeconds);
    this.#makeHost({ ...this.#start.setting, beganSeconds: best?.beganSeconds ?? now });
  }

  #makeHost(setting: HostSetting): void {
    assert(this.#host === undefined, "a run has one host here");
    this.#host = new Host(setting, this.#start.index, {
      send: (from, to, message) => {
        const rank = hostOfRank(to, setting.hosts) + 1;
        this.#send(rank, { kind: "deliver", from, to, message: packMessage(message), run: this.run });
      },
      progress: (target, bytes) => this.#addProgress(target, bytes),
      trouble: (target, text) => this.#tell({ kind: "trouble", target, text }),
      fatal: (text) => this.#tell({ kind: "fatal", text }),
      ended: (report) => {
        this.#ended = true;
        clearInterval(this.#alive);
        this.#sendProgress();
        this.#tell({ kind: "ended", report });
      },
      pace: (target, bytes) => this.#pace(target, bytes),
    });
    this.#tell({ kind: "ready", pid: this.#sharesClock ? process.pid : undefined });
  }

  async #pace(target: number, bytes: number): Promise<void> {
    const request = this.#requests++;
    const seconds = await new Promise<number>((resolve) => {
      this.#paced.set(request, resolve);
      this.#tell({ kind: "pace", request, target, bytes });
    });
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.#held.delete(go);
        resolve();
      };
      const timer = setTimeout(go, 1000 * seconds);
      this.#held.add(go);
    });
  }

  #addProgress(target: number, bytes: number): void {
    this.#progress[target] = (this.#progress[target] ?? 0) + bytes;
    this.#progressTimer ??= setTimeout(() => this.#sendProgress(), PROGRESS_MS);
  }

  #sendProgress(): void {
    clearTimeout(this.#progressTimer);
    this.#progressTimer = undefined;
    const bytes = Array.from(this.#progress, (one) => one ?? 0);
    if (bytes.length > 0) this.#tell({ kind: "progress", bytes });
    this.#progress = [];
  }

  #tell(message: FromRun): void {
    this.#send(ROOT, { ...message, run: this.run });
  }

  #send(rank: number, message: unknown): void {
    this.#communicator.send(rank, serialize(message)).catch((error: unknown) => {
      this.#communicator.abort(`cannot reach rank ${rank}: ${error}`);
    });
  }
}
