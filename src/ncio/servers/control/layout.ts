/** A folder with server data records its striping, so that files are never served with a different one. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FormatError, UsageError } from "../../../base/errors.ts";
import { writeFile } from "../../../node/write-file.ts";

const LAYOUT_FILE = "layout.json";

export const serverFolder = (dir: string, server: number): string =>
  join(dir, `server-${String(server).padStart(3, "0")}`);

/** Refuses a layout that differs from that of existing files. */
export function keepLayout(dir: string, servers: number, stripBytes: number): void {
  const path = join(dir, LAYOUT_FILE);
  const found = readLayout(path);
  if (found !== undefined && (found.servers !== servers || found.stripBytes !== stripBytes) && hasFiles(dir))
    throw new UsageError(
      `${dir} holds files in strips of ${found.stripBytes} bytes over ${found.servers} servers; start with -n ${found.servers} --strip ${found.stripBytes}, or choose another --dir`,
    );
  writeFile(path, `${JSON.stringify({ servers, stripBytes })}\n`, { mode: 0o600 });
}

function readLayout(path: string): { servers: number; stripBytes: number } | undefined {
  try {
    const { servers, stripBytes } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    if (typeof servers === "number" && typeof stripBytes === "number") return { servers, stripBytes };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
  }
  throw new FormatError(path, {}, "not the layout of storage targets; choose another --dir");
}

function hasFiles(dir: string): boolean {
  return serverFolders(dir).some((folder) => readdirSync(folder).length > 0);
}

/** All server folders below a folder, regardless of the current number of servers. */
export function serverFolders(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^server-\d{3,4}$/.test(entry.name))
    .map(({ name }) => join(dir, name));
}
