/** One collector at a time for a folder: a name in the kernel, which is free again however its owner ends. */
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { makeFolder } from "../../node/folders.ts";
import { FOLDER_MODE } from "../files.ts";

export interface Lock {
  release(): void;
}

/** Undefined when another process has it. */
export async function lockFolder(dir: string): Promise<Lock | undefined> {
  makeFolder(dir, FOLDER_MODE);
  const name = createHash("sha256").update(realpathSync(dir)).digest("hex").slice(0, 32);
  const server: Server = createServer((socket) => socket.destroy());
  const taken = await new Promise<boolean>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(`\0plimsoll-collect-${name}`, () => resolve(true));
  });
  if (!taken) return undefined;
  server.unref();
  return { release: () => void server.close() };
}
