/** One server process, from this side. */
import { type ChildProcess, fork } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { builtFile } from "../../../node/built.ts";
import { assert } from "../../../base/assert.ts";
import { FormatError } from "../../../base/errors.ts";
import { formatAddress } from "../address.ts";
import type { StartAnswer, StartMessage } from "../server/setting.ts";
import { type ProcessId, ticksOf } from "./processes.ts";

type Ready = StartAnswer & { readonly kind: "ready" };

/** Sixteen processes that start on a loaded machine take seconds. */
const READY_MS = 60_000;
const END_MS = 5000;

export class Child {
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  readonly #label: string;
  readonly #whenReady: Promise<void>;
  #ready: Ready | undefined;
  #id: ProcessId = { pid: 0, ticks: "" };

  constructor(start: StartMessage, logPath: string) {
    const { server, servers, folder, listen } = start.setting;
    this.#label = `server ${server}${listen.kind === "tcp" && listen.port === 0 ? "" : ` at ${formatAddress(listen)}`}`;
    const log = openSync(logPath, "a", 0o600);
    try {
      this.#process = fork(builtFile("target-server.js"), [`${server}/${servers}`, folder], {
        detached: start.detached,
        stdio: ["ignore", "ignore", log, "ipc"],
        // Little garbage is made; young space of the usual size would be most of the process.
        execArgv: ["--max-semi-space-size=2"],
        cwd: "/",
      });
    } finally {
      closeSync(log);
    }
    this.ended = new Promise((resolve) => this.#process.once("exit", () => resolve()));
    this.#whenReady = this.#listen(logPath);
    this.#whenReady.catch(() => {});
    this.#process.send(start, undefined, undefined, () => {});
  }

  /** Known once it is ready. */
  get ready(): Ready {
    assert(this.#ready !== undefined, "the server is not ready");
    return this.#ready;
  }

  get id(): ProcessId {
    return this.#id;
  }

  whenReady(): Promise<void> {
    return this.#whenReady;
  }

  /** It goes on without us, and we without it. */
  letGo(): void {
    this.#process.disconnect();
    this.#process.unref();
  }

  /** Asks it to end; kills it when it does not. */
  async end(): Promise<void> {
    if (this.#isOver()) return;
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), END_MS);
    await this.ended;
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    if (this.#isOver()) return;
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  #isOver(): boolean {
    const { pid, exitCode, signalCode } = this.#process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  #listen(logPath: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (text: string): void => {
        clearTimeout(timer);
        reject(new FormatError(this.#label, {}, text));
      };
      const timer = setTimeout(() => fail(`was not ready after ${READY_MS / 1000} s`), READY_MS);
      timer.unref();
      this.#process.once("error", (error) => fail(`cannot be started: ${error.message}`));
      this.#process.once("exit", (code, signal) =>
        fail(`ended before it was ready (${signal ?? `code ${code}`}); see ${logPath}`),
      );
      this.#process.once("message", (answer: StartAnswer) => {
        if (answer.kind === "failed") return fail(answer.text);
        clearTimeout(timer);
        this.#ready = answer;
        this.#id = { pid: answer.pid, ticks: ticksOf(answer.pid) };
        resolve();
      });
    });
  }
}
