/** The program of a writer process: one host, and the channel to its parent. */
import { assert } from "../../../base/assert.ts";
import { Host } from "../host/host.ts";
import type { HostReport } from "../host/setting.ts";
import { type FromHost, packMessage, type ToHost, unpackMessage } from "./wire.ts";

const PROGRESS_MS = 100;

let host: Host | undefined;
let report: HostReport | undefined;
let requests = 0;
const paced = new Map<number, (seconds: number) => void>();
let progress: number[] = [];
let progressTimer: NodeJS.Timeout | undefined;

// Ctrl-C goes to every process of a terminal; the parent decides what happens.
process.on("SIGINT", () => {});
// The parent is gone. Unfinished pieces stay as they are; the journal lists the finished ones.
process.on("disconnect", () => process.exit(1));
process.on("message", (message: ToHost) => take(message));

function take(message: ToHost): void {
  switch (message.kind) {
    case "start":
      assert(host === undefined, "a process has one host");
      host = makeHost(message);
      tell({ kind: "ready" });
      return;
    case "go":
      host?.start();
      return;
    case "deliver":
      host?.deliver(message.from, message.to, unpackMessage(message.message));
      return;
    case "lost":
      host?.lost(message.ranks);
      return;
    case "paced":
      paced.get(message.request)?.(message.seconds);
      paced.delete(message.request);
      return;
    case "end":
      process.exit(report === undefined ? 1 : 0);
  }
}

function makeHost({ setting, index }: Extract<ToHost, { kind: "start" }>): Host {
  return new Host(setting, index, {
    send: (from, to, message) => tell({ kind: "send", from, to, message: packMessage(message) }),
    progress: addProgress,
    trouble: (target, text) => tell({ kind: "trouble", target, text }),
    fatal: (text) => tell({ kind: "fatal", text }),
    ended: (end) => {
      report = end;
      sendProgress();
      tell({ kind: "ended", report: end });
    },
    pace: async (target, bytes) => {
      const request = requests++;
      const seconds = await new Promise<number>((resolve) => {
        paced.set(request, resolve);
        tell({ kind: "pace", request, target, bytes });
      });
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    },
  });
}

function addProgress(target: number, bytes: number): void {
  progress[target] = (progress[target] ?? 0) + bytes;
  progressTimer ??= setTimeout(sendProgress, PROGRESS_MS);
}

function sendProgress(): void {
  clearTimeout(progressTimer);
  progressTimer = undefined;
  if (progress.length > 0) tell({ kind: "progress", bytes: Array.from(progress, (one) => one ?? 0) });
  progress = [];
}

function tell(message: FromHost): void {
  // A closed channel means that the parent is gone; `disconnect` ends us.
  process.send?.(message, undefined, undefined, () => {});
}
