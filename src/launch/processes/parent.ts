/** Starts ranks as processes of this machine, and ensures that none outlives the run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FormatError } from "../../base/errors.ts";
import { ChildProgram } from "../../node/child-program.ts";
import type { FromRank, ToRank } from "./wire.ts";

interface RanksSetting {
  /** The program of every rank: it calls `beRank`. */
  readonly program: string;
  readonly ranks: number;
  readonly data: unknown;
  readonly signal?: AbortSignal;
  readonly execArgv?: readonly string[];
  /** Called with each message of a rank. */
  readonly heard: (message: unknown, rank: number) => void;
}

interface Rank {
  readonly child: ChildProgram;
  state: "starting" | "listening" | "running" | "done";
}

/** Ends when all ranks are done; fails with the first reason of any rank. No process is left running. */
export async function runRanks(setting: RanksSetting): Promise<void> {
  // Socket paths must be short; only this user can enter the folder.
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
    await Promise.all(ranks.map(({ child }) => child.ended));
  } finally {
    await Promise.all(ranks.map(({ child }) => child.kill()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A reason begins with its source, which the error adds again. */
function failureOf({ reason, source }: Extract<FromRank, { kind: "abort" }>): Error {
  const head = `${source}: `;
  return source !== undefined && reason.startsWith(head)
    ? new FormatError(source, {}, reason.slice(head.length))
    : new Error(reason);
}

function startRank(
  setting: RanksSetting,
  folder: string,
  number: number,
  ranks: readonly Rank[],
  resolve: () => void,
  reject: (error: Error) => void,
): Rank {
  const child = new ChildProgram(setting.program, { execArgv: [...(setting.execArgv ?? [])] });
  const rank: Rank = { child, state: "starting" };
  const tellAll = (message: ToRank) => {
    for (const one of ranks) one.child.tell(message);
  };
  void child.gone.then(() => {
    if (rank.state === "done") return;
    const { how, lastLine, startError } = child;
    if (startError !== undefined) reject(new Error(`rank ${number} cannot be started: ${how}`));
    const text = child.process.signalCode === null ? how : `was ended by ${how}`;
    reject(new Error(`rank ${number} ${text}${lastLine === "" ? "" : `: ${lastLine}`}`));
  });
  child.process.on("message", (message: FromRank) => {
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
        reject(failureOf(message));
        return;
      case "done":
        rank.state = "done";
        child.process.disconnect();
        if (ranks.every(({ state }) => state === "done")) resolve();
        return;
    }
  });
  const { ranks: size, data } = setting;
  child.tell({ kind: "start", rank: number, size, folder, data } satisfies ToRank);
  return rank;
}
