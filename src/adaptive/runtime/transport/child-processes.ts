/** Every host in a process of its own, started from here; messages go through this process, in order. */
import { assert } from "../../../base/assert.ts";
import { builtFile } from "../../../node/built.ts";
import { ChildProgram } from "../../../node/child-program.ts";
import { Pacer, ratesOf } from "../../backend/index.ts";
import {
  type HostReport,
  type HostSetting,
  hostOfRank,
  machineSeconds,
  ranksOfHost,
} from "../host/setting.ts";
import type { RunEnd, RunWatch, Transport } from "./transport.ts";
import type { FromHost, ToHost } from "./wire.ts";

export const childProcesses: Transport = {
  name: "child processes",
  run: (setting, watch) => new ChildRun(setting, watch).run(),
};

interface Child {
  readonly index: number;
  readonly program: ChildProgram;
  state: "starting" | "ready" | "ended" | "gone";
  report: HostReport | undefined;
}

/** A blocked write holds a thread; there are enough for all targets and more. */
const THREADS_MAX = 64;

class ChildRun {
  readonly #setting: HostSetting;
  readonly #watch: RunWatch;
  readonly #pacer: Pacer;
  #children: Child[] = [];
  #fatal: string | undefined;
  #going = false;
  #readyAt = Number.NaN;
  #finish: () => void = () => {};

  constructor(setting: HostSetting, watch: RunWatch) {
    this.#setting = setting;
    this.#watch = watch;
    this.#pacer = new Pacer(ratesOf(setting.backend), machineSeconds);
  }

  async run(): Promise<RunEnd> {
    const finished = new Promise<void>((resolve) => (this.#finish = resolve));
    const stop = () => this.#stop("stopped");
    this.#watch.signal?.addEventListener("abort", stop, { once: true });
    if (this.#watch.signal?.aborted) stop();
    const program = builtFile("write-worker.js");
    this.#children = Array.from({ length: this.#setting.hosts }, (_, index) => this.#start(program, index));
    await finished;
    this.#watch.signal?.removeEventListener("abort", stop);
    await this.#endAll();
    return {
      reports: this.#children.map(({ report }) => report),
      fatal: this.#fatal,
      readyAt: this.#readyAt,
    };
  }

  #start(program: string, index: number): Child {
    const threads = Math.min(THREADS_MAX, 4 + 2 * this.#setting.targets.length);
    const started = new ChildProgram(program, {
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threads) },
      // Little garbage is made; young space of the usual size would be most of the process.
      execArgv: ["--max-semi-space-size=2"],
    });
    const child: Child = { index, program: started, state: "starting", report: undefined };
    const { pid } = started.process;
    if (pid !== undefined) this.#watch.began?.(index, pid);
    started.process.on("message", (message: FromHost) => this.#heard(child, message));
    void started.gone.then(() => this.#gone(child));
    this.#tell(child, { kind: "start", setting: this.#setting, index });
    return child;
  }

  #heard(child: Child, message: FromHost): void {
    switch (message.kind) {
      case "send":
        this.#route(message.from, message.to, message.message);
        return;
      case "pace": {
        const seconds = this.#pacer.wait(message.target, message.bytes);
        this.#tell(child, { kind: "paced", request: message.request, seconds });
        return;
      }
      case "progress":
        message.bytes.forEach((bytes, target) => {
          if (bytes > 0) this.#watch.progress(target, bytes);
        });
        return;
      case "trouble":
        this.#watch.trouble(message.target, message.text);
        return;
      case "fatal":
        this.#stop(message.text);
        return;
      case "ready":
        child.state = "ready";
        this.#goWhenReady();
        return;
      case "ended":
        assert(child.report === undefined, "a process ends once");
        child.state = "ended";
        child.report = message.report;
        this.#finishWhenDone();
        return;
    }
  }

  #route(from: number, to: number, message: unknown): void {
    assert(to >= 0 && to < this.#setting.blocks.length, "a message goes to a rank of the run");
    const child = this.#children[hostOfRank(to, this.#setting.hosts)];
    if (child !== undefined) this.#tell(child, { kind: "deliver", from, to, message } as ToHost);
  }

  #goWhenReady(): void {
    if (this.#going || this.#children.some(({ state }) => state === "starting")) return;
    this.#going = true;
    this.#readyAt = machineSeconds() - this.#setting.beganSeconds;
    assert(this.#readyAt >= 0, "a run begins before its processes are there");
    for (const child of this.#children) this.#tell(child, { kind: "go" });
    // Those that died before the start have not been told of to anybody.
    for (const child of this.#children) if (child.state === "gone") this.#announce(child);
  }

  #gone(child: Child): void {
    if (child.state === "gone" || child.state === "ended") return;
    const { how, lastLine } = child.program;
    child.state = "gone";
    // When the run was stopped, it is we who end them.
    if (this.#fatal === undefined) this.#watch.died?.(child.index, how);
    if (this.#children.every(({ state }) => state === "gone")) {
      this.#stop(`all writer processes ended (the last: ${how}${lastLine === "" ? "" : `: ${lastLine}`})`);
      return;
    }
    if (this.#going) this.#announce(child);
    else this.#goWhenReady();
    this.#finishWhenDone();
  }

  #announce(dead: Child): void {
    assert(dead.state === "gone" && this.#going, "deaths are told of after the start");
    const ranks = ranksOfHost(this.#setting, dead.index);
    for (const child of this.#children) this.#tell(child, { kind: "lost", ranks });
  }

  #finishWhenDone(): void {
    if (this.#going && this.#children.every(({ state }) => state === "ended" || state === "gone"))
      this.#finish();
  }

  #stop(text: string): void {
    this.#fatal ??= text;
    this.#finish();
  }

  #tell(child: Child, message: ToHost): void {
    if (child.state !== "gone") child.program.tell(message);
  }

  /** None is left running when this ends. */
  async #endAll(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (this.#fatal !== undefined || child.state !== "ended") return child.program.kill();
        this.#tell(child, { kind: "end" });
        await child.program.ended;
      }),
    );
  }
}
