/** Every host is a child process; messages go through this process, in order. */
import { assert } from "../../../base/assert.ts";
import { builtFile } from "../../../node/built.ts";
import { ChildProgram } from "../../../node/child-program.ts";
import { hostOfRank } from "../host/setting.ts";
import { HostsRun } from "./hosts-run.ts";
import type { Transport } from "./transport.ts";
import type { FromHost, ToHost } from "./wire.ts";

export const childProcesses: Transport = {
  name: "child processes",
  run: (setting, watch) => new ChildRun(setting, watch).run(),
};

/** A blocked write holds a thread; there are more threads than targets. */
const THREADS_MAX = 64;

class ChildRun extends HostsRun {
  readonly #programs: ChildProgram[] = [];

  protected override begin(): void {
    const program = builtFile("write-worker.js");
    for (let host = 0; host < this.setting.hosts; host++) this.#start(program, host);
  }

  #start(program: string, host: number): void {
    const threads = Math.min(THREADS_MAX, 4 + 2 * this.setting.targets.length);
    const started = new ChildProgram(program, {
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threads) },
      // Little garbage is made; the default young generation would be most of the process.
      execArgv: ["--max-semi-space-size=2"],
    });
    this.#programs.push(started);
    const { pid } = started.process;
    if (pid !== undefined) this.watch.began?.(host, pid);
    started.process.on("message", (message: FromHost) => this.#heard(host, message));
    void started.gone.then(() => this.#died(host));
    this.send(host, { kind: "start", setting: this.setting, index: host });
  }

  #heard(host: number, message: FromHost): void {
    if (message.kind === "send") this.#route(message.from, message.to, message.message);
    else if (message.kind === "ready") this.ready(host);
    else this.said(host, message);
  }

  #route(from: number, to: number, message: unknown): void {
    assert(to >= 0 && to < this.setting.blocks.length, "a message goes to a rank of the run");
    this.send(hostOfRank(to, this.setting.hosts), { kind: "deliver", from, to, message } as ToHost);
  }

  #died(host: number): void {
    if (this.states[host] === "gone" || this.states[host] === "ended") return;
    const { how, lastLine } = this.#programs[host] as ChildProgram;
    // After a stop we end them ourselves.
    if (this.fatal === undefined) this.watch.died?.(host, how);
    const said = lastLine === "" ? "" : `: ${lastLine}`;
    this.gone(host, `all writer processes ended (the last: ${how}${said})`);
  }

  protected override send(host: number, message: ToHost): void {
    if (this.states[host] !== "gone") this.#programs[host]?.tell(message);
  }

  /** No process is left running when this ends. */
  protected override async end(): Promise<void> {
    await Promise.all(
      this.#programs.map(async (program, host) => {
        if (this.fatal !== undefined || this.states[host] !== "ended") return program.kill();
        this.send(host, { kind: "end" });
        await program.ended;
      }),
    );
  }
}
