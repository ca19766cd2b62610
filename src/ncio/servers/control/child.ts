/** One server process, seen from the parent. */
import { closeSync, openSync } from "node:fs";
import { builtFile } from "../../../node/built.ts";
import { ChildProgram } from "../../../node/child-program.ts";
import { assert } from "../../../base/assert.ts";
import { FormatError } from "../../../base/errors.ts";
import { formatAddress } from "../address.ts";
import type { StartAnswer, StartMessage } from "../server/setting.ts";
import { type ProcessId, ticksOf } from "./processes.ts";

type Ready = StartAnswer & { readonly kind: "ready" };

/** Starting 16 processes on a loaded machine takes seconds. */
const READY_MS = 60_000;
const END_MS = 5000;

export class Child {
  readonly #program: ChildProgram;
  readonly #label: string;
  readonly #whenReady: Promise<void>;
  #ready: Ready | undefined;
  #id: ProcessId = { pid: 0, ticks: "" };

  constructor(start: StartMessage, logPath: string) {
    const { server, servers, folder, listen } = start.setting;
    this.#label = `server ${server}${listen.kind === "tcp" && listen.port === 0 ? "" : ` at ${formatAddress(listen)}`}`;
    const log = openSync(logPath, "a", 0o600);
    try {
      this.#program = new ChildProgram(builtFile("target-server.js"), {
        args: [`${server}/${servers}`, folder],
        detached: start.detached,
        stderr: log,
        // Little garbage is made; the default young generation would be most of the process.
        execArgv: ["--max-semi-space-size=2"],
        cwd: "/",
      });
    } finally {
      closeSync(log);
    }
    this.#whenReady = this.#listen(logPath);
    this.#whenReady.catch(() => {});
    this.#program.tell(start);
  }

  get ended(): Promise<void> {
    return this.#program.ended;
  }

  /** Defined once it is ready. */
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

  letGo(): void {
    this.#program.letGo();
  }

  end(): Promise<void> {
    return this.#program.end(END_MS);
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  #listen(logPath: string): Promise<void> {
    const { process, gone } = this.#program;
    return new Promise((resolve, reject) => {
      const fail = (text: string): void => {
        clearTimeout(timer);
        reject(new FormatError(this.#label, {}, text));
      };
      const timer = setTimeout(() => fail(`was not ready after ${READY_MS / 1000} s`), READY_MS);
      timer.unref();
      void gone.then(() => {
        const { startError } = this.#program;
        if (startError !== undefined) fail(`cannot be started: ${startError.message}`);
        const how = process.signalCode ?? `code ${process.exitCode}`;
        fail(`ended before it was ready (${how}); see ${logPath}`);
      });
      process.once("message", (answer: StartAnswer) => {
        if (answer.kind === "failed") return fail(answer.text);
        clearTimeout(timer);
        this.#ready = answer;
        this.#id = { pid: answer.pid, ticks: ticksOf(answer.pid) };
        resolve();
      });
    });
  }
}
