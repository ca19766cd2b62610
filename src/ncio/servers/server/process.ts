/** The program of a server process: gets its setting once, serves until its shutdown, and removes its socket. */
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { listenReason } from "../../../node/listen-reason.ts";
import { codeOf } from "./local-files.ts";
import { TargetServer } from "./server.ts";
import type { ListenAt, StartAnswer, StartMessage } from "./setting.ts";

/** Time to send the last answers. */
const LAST_ANSWERS_MS = 50;

process.once("message", (message: StartMessage) => {
  start(message).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    tell({ kind: "failed", text }, () => process.exit(1));
  });
});
// Without a setting there is nothing to do.
process.once("disconnect", exitWithoutSetting);

function exitWithoutSetting(): void {
  process.exit(1);
}

async function start({ setting, detached }: StartMessage): Promise<void> {
  if (!existsSync(setting.folder)) mkdirSync(setting.folder, 0o700);
  const server = new TargetServer(setting);
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(0), 20 * LAST_ANSWERS_MS).unref();
    void server.close().then(() => {
      removeSocketFolder(setting.listen);
      setTimeout(() => process.exit(0), LAST_ANSWERS_MS);
    });
  };
  server.onShutdown = end;
  process.on("SIGTERM", end);
  // Ctrl-C in a terminal reaches the whole process group; the parent stops the servers.
  process.on("SIGINT", () => {
    if (!detached && !process.connected) end();
  });
  process.on("uncaughtException", (error) => {
    // A server in an unknown state must not keep writing.
    server.log(`ends: ${error.stack ?? error.message}`);
    process.exit(1);
  });
  let listen: ListenAt;
  try {
    listen = await server.listen();
  } catch (error) {
    throw new Error(listenFailure(setting.listen, error), { cause: error });
  }
  process.removeListener("disconnect", exitWithoutSetting);
  process.on("disconnect", () => {
    if (!detached) end();
  });
  tell({ kind: "ready", listen, instance: server.instance, pid: process.pid }, () => {});
}

/** The last server to end removes the folder, in case the parent is gone. */
function removeSocketFolder(listen: ListenAt): void {
  try {
    if (listen.kind === "unix") rmdirSync(dirname(listen.path));
  } catch {
    // Other sockets are still in it, or it is already removed.
  }
}

function tell(answer: StartAnswer, then: () => void): void {
  if (process.send === undefined) then();
  else process.send(answer, undefined, undefined, then);
}

function listenFailure(listen: ListenAt, error: unknown): string {
  const where = listen.kind === "unix" ? listen.path : `${listen.host} port ${listen.port}`;
  const reason = listenReason(error) ?? codeOf(error) ?? (error as Error).message;
  return `cannot listen at ${where}: ${reason}`;
}
