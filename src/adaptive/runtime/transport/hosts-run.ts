/** The hosts of one run, seen from the parent: ready, ended or dead, and their messages. */
import { assert } from "../../../base/assert.ts";
import { Pacer, ratesOf } from "../../backend/index.ts";
import { type HostReport, type HostSetting, machineSeconds, ranksOfHost } from "../host/setting.ts";
import type { RunEnd, RunWatch } from "./transport.ts";

/** Messages from hosts on any transport. */
export type HostNews =
  | { readonly kind: "progress"; readonly bytes: readonly number[] }
  | { readonly kind: "trouble"; readonly target: number; readonly text: string }
  | { readonly kind: "fatal"; readonly text: string }
  | { readonly kind: "pace"; readonly request: number; readonly target: number; readonly bytes: number }
  | { readonly kind: "ended"; readonly report: HostReport };

/** Messages to hosts on any transport. */
export type HostOrder =
  | { readonly kind: "go" }
  | { readonly kind: "lost"; readonly ranks: readonly number[] }
  /** The answer to a request for pace: the wait. */
  | { readonly kind: "paced"; readonly request: number; readonly seconds: number };

type State = "starting" | "ready" | "ended" | "stopped" | "gone";

export abstract class HostsRun {
  protected readonly setting: HostSetting;
  protected readonly watch: RunWatch;
  protected readonly states: State[];
  protected fatal: string | undefined;
  readonly #pacer: Pacer;
  readonly #reports: (HostReport | undefined)[];
  #going = false;
  #readyAt = Number.NaN;
  #finish: () => void = () => {};

  constructor(setting: HostSetting, watch: RunWatch) {
    this.setting = setting;
    this.watch = watch;
    this.#pacer = new Pacer(ratesOf(setting.backend), machineSeconds);
    this.states = Array.from({ length: setting.hosts }, () => "starting");
    this.#reports = Array.from({ length: setting.hosts }, () => undefined);
  }

  /** Starts all hosts. */
  protected abstract begin(): void;
  /** Ends all running hosts. */
  protected abstract end(): Promise<void>;
  protected abstract send(host: number, order: HostOrder): void;

  async run(): Promise<RunEnd> {
    const finished = new Promise<void>((resolve) => (this.#finish = resolve));
    const stop = () => this.stop("stopped");
    this.watch.signal?.addEventListener("abort", stop, { once: true });
    if (this.watch.signal?.aborted) stop();
    this.begin();
    await finished;
    this.watch.signal?.removeEventListener("abort", stop);
    await this.end();
    return { reports: this.#reports, fatal: this.fatal, readyAt: this.#readyAt };
  }

  protected ready(host: number): void {
    this.states[host] = "ready";
    this.#goWhenReady();
  }

  protected said(host: number, news: HostNews): void {
    switch (news.kind) {
      case "pace": {
        const seconds = this.#pacer.wait(news.target, news.bytes);
        this.send(host, { kind: "paced", request: news.request, seconds });
        return;
      }
      case "progress":
        news.bytes.forEach((bytes, target) => {
          if (bytes > 0) this.watch.progress(target, bytes);
        });
        return;
      case "trouble":
        this.watch.trouble(news.target, news.text);
        return;
      case "fatal":
        this.stop(news.text);
        return;
      case "ended":
        assert(this.#reports[host] === undefined, "a host ends once");
        this.states[host] = "ended";
        this.#reports[host] = news.report;
        this.#finishWhenDone();
        return;
    }
  }

  /** A host died before its end; `noneLeft` is the reason of failure if it was the last. */
  protected gone(host: number, noneLeft: string): void {
    this.states[host] = "gone";
    if (this.states.every((state) => state === "gone")) {
      this.stop(noneLeft);
      return;
    }
    if (this.#going) this.#announce(host);
    else this.#goWhenReady();
    this.#finishWhenDone();
  }

  protected stop(text: string): void {
    this.fatal ??= text;
    this.#finish();
  }

  #goWhenReady(): void {
    if (this.#going || this.states.includes("starting")) return;
    this.#going = true;
    this.#readyAt = machineSeconds() - this.setting.beganSeconds;
    assert(this.#readyAt >= 0, "a run begins before its processes are there");
    this.#sendAll({ kind: "go" });
    // Hosts that died before the start have not been reported yet.
    this.states.forEach((state, host) => {
      if (state === "gone") this.#announce(host);
    });
  }

  #announce(host: number): void {
    assert(this.states[host] === "gone" && this.#going, "deaths are reported after the start");
    this.#sendAll({ kind: "lost", ranks: ranksOfHost(this.setting, host) });
  }

  #sendAll(order: HostOrder): void {
    this.states.forEach((state, host) => {
      if (state !== "gone") this.send(host, order);
    });
  }

  #finishWhenDone(): void {
    if (this.#going && this.states.every((state) => state === "ended" || state === "gone")) this.#finish();
  }
}
