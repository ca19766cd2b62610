/** The side of a rank that `runRanks` started. */
import { FormatError } from "../../base/errors.ts";
import type { Communicator } from "../communicator.ts";
import { listenAsRank, type Mesh } from "./sockets.ts";
import type { FromRank, ToRank } from "./wire.ts";

interface StartedRank<Data> {
  readonly communicator: Communicator;
  readonly data: Data;
  /** To the process that started the ranks. */
  tell(message: unknown): void;
}

const say = (message: FromRank) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

/** Thrown in ranks of an aborted run; the reason is already reported. */
class RunAborted extends Error {}

/**
 * Runs `body` as one rank of the run that this process was started for, and ends the process. An error on any rank ends
 * the whole run.
 */
export function beRank<Data>(body: (rank: StartedRank<Data>) => Promise<void>): void {
  // Without the parent process there is no work left.
  process.on("disconnect", () => process.exit(1));
  // The parent decides what a signal to the whole group means.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  const abort = (reason: string): never => {
    say({ kind: "abort", reason });
    throw new RunAborted(reason);
  };
  let mesh: Mesh | undefined;
  let data: unknown;
  const fail = (error: unknown) => {
    if (!(error instanceof RunAborted)) {
      const source = error instanceof FormatError ? { source: error.source } : {};
      say({ kind: "abort", reason: debugText(error), ...source });
    }
  };
  process.on("message", (message: ToRank) => {
    if (message.kind === "start") {
      data = message.data;
      listenAsRank(message.rank, message.size, message.folder, abort).then((listening) => {
        mesh = listening;
        say({ kind: "listening" });
      }, fail);
      return;
    }
    const run = async () => {
      const communicator = await (mesh as Mesh).connect();
      say({ kind: "ready" });
      await body({
        communicator,
        data: data as Data,
        tell: (message) => say({ kind: "tell", message }),
      });
      await communicator.close();
      say({ kind: "done" });
    };
    run().catch(fail);
  });
}

function debugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env.PLIMSOLL_DEBUG === "1" ? (error.stack ?? error.message) : error.message;
}
