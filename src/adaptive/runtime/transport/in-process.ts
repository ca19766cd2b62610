/** All hosts in this process: for data in memory, and for tests. */
import { assert } from "../../../base/assert.ts";
import { Pacer, ratesOf } from "../../backend/index.ts";
import { Host } from "../host/host.ts";
import { type HostReport, type HostSetting, hostOfRank, machineSeconds } from "../host/setting.ts";
import type { RunEnd, RunWatch, Transport } from "./transport.ts";
import { packMessage, unpackMessage } from "./wire.ts";

export const inProcess: Transport = {
  name: "in-process",
  run: (setting, watch) => new InProcessRun(setting, watch).run(),
};

class InProcessRun {
  readonly #setting: HostSetting;
  readonly #watch: RunWatch;
  readonly #hosts: Host[] = [];
  readonly #reports: (HostReport | undefined)[];
  #fatal: string | undefined;
  #resolve: () => void = () => {};

  constructor(setting: HostSetting, watch: RunWatch) {
    this.#setting = setting;
    this.#watch = watch;
    this.#reports = Array.from({ length: setting.hosts }, () => undefined);
  }

  async run(): Promise<RunEnd> {
    const { hosts, backend, beganSeconds } = this.#setting;
    const pacer = new Pacer(ratesOf(backend), machineSeconds);
    const ended = new Promise<void>((resolve) => (this.#resolve = resolve));
    for (let index = 0; index < hosts; index++) this.#hosts.push(this.#host(index, pacer));
    const stop = () => this.#stop("stopped");
    this.#watch.signal?.addEventListener("abort", stop, { once: true });
    const readyAt = machineSeconds() - beganSeconds;
    for (const host of this.#hosts) host.start();
    await ended;
    this.#watch.signal?.removeEventListener("abort", stop);
    if (this.#fatal !== undefined) for (const host of this.#hosts) await host.stop();
    return { reports: this.#reports, fatal: this.#fatal, readyAt };
  }

  #stop(text: string): void {
    this.#fatal ??= text;
    this.#resolve();
  }

  #host(index: number, pacer: Pacer): Host {
    const { hosts } = this.#setting;
    return new Host(this.#setting, index, {
      send: (from, to, message) => {
        // Packed and delivered asynchronously, as between processes.
        const packed = structuredClone(packMessage(message));
        setImmediate(() => this.#hosts[hostOfRank(to, hosts)]?.deliver(from, to, unpackMessage(packed)));
      },
      progress: (target, bytes) => this.#watch.progress(target, bytes),
      trouble: (target, text) => this.#watch.trouble(target, text),
      fatal: (text) => this.#stop(text),
      ended: (report) => {
        assert(this.#reports[index] === undefined, "a host ends once");
        this.#reports[index] = report;
        if (this.#reports.every((one) => one !== undefined)) this.#resolve();
      },
      pace: (target, bytes) =>
        new Promise((resolve) => setTimeout(resolve, 1000 * pacer.wait(target, bytes))),
    });
  }
}
