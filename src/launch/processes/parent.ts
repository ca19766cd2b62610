/** Starts ranks as processes of this machine, and sees to it that none outlives the run. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FromRank, ToRank } from "./wire.ts";

interface RanksSetting {
  /** What every rank runs: a program that calls `beRank`. */
  readonly program: string;
  readonly ranks: number;
  readonly data: unknown;
  readonly signal?: AbortSignal;
  readonly execArgv?: readonly string[];
  /** A rank told something. */
  readonly heard: (message: unknown, rank: number) => void;
}

interface Rank {
  readonly process: ChildProcess;
  state: "starting" | "listening" | "running" | "done";
  /** The last of what it printed, for messages. */
  printed: string;
}

const PRINTED_MAX = 2000;

/** Ends when all ranks are done; fails with the first reason of any of them. Nothing is left running either way. */
export async function runRanks(setting: RanksSetting): Promise<void> {
  // Names of sockets must be short; the folder is ours alone.
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-ranks-"));
  const ranks: Rank[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const stop = () => reject(new Error("stopped"));
      setting.signal?.addEventListener("abort", stop, { once: true });
      if (setting.signal?.aborted) return stop();
      for (let rank = 0; rank < setting.ranks; rank++) {
        ranks.push(startRank(setting, folder, rank, ranks, resolve, reject));
      }
    });
    await Promise.all(ranks.map(ended));
  } finally {
    for (const { process: child } of ranks) child.kill("SIGKILL");
    await Promise.all(ranks.map(ended));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startRank(
  setting: RanksSetting,
  folder: string,
  number: number,
  ranks: readonly Rank[],
  resolve: () => void,
  reject: (error: Error) => void,
): Rank {
  const child = fork(setting.program, [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv: [...(setting.execArgv ?? [])],
  });
  const rank: Rank = { process: child, state: "starting", printed: "" };
  const tellAll = (message: ToRank) => {
    for (const { process: one } of ranks) if (one.connected) one.send(message);
  };
  child.stderr?.on("data", (text: Buffer) => {
    rank.printed = (rank.printed + text.toString()).slice(-PRINTED_MAX);
  });
  child.on("error", (error) => reject(new Error(`rank ${number} cannot be started: ${error.message}`)));
  child.on("exit", (code, signal) => {
    if (rank.state === "done") return;
    const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
    const last = rank.printed.trim().split("\n").at(-1) ?? "";
    // What it said before it ended may still be under way.
    setImmediate(() => reject(new Error(`rank ${number} ${how}${last === "" ? "" : `: ${last}`}`)));
  });
  child.on("message", (message: FromRank) => {
    switch (message.kind) {
      case "listening":
        rank.state = "listening";
        if (ranks.length === setting.ranks && ranks.every(({ state }) => state === "listening"))
          tellAll({ kind: "connect" });
        return;
      case "ready":
        rank.state = "running";
        return;
      case "tell":
        setting.heard(message.message, number);
        return;
      case "abort":
        reject(new Error(message.reason));
        return;
      case "done":
        rank.state = "done";
        child.disconnect();
        if (ranks.every(({ state }) => state === "done")) resolve();
        return;
    }
  });
  child.send({
    kind: "start",
    rank: number,
    size: setting.ranks,
    folder,
    data: setting.data,
  } satisfies ToRank);
  return rank;
}

function ended({ process: child }: Rank): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}
