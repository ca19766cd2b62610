/** Jobs from files of this machine, with the codecs of Node. */
import { createHash } from "node:crypto";
import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Listener } from "../base/listener.ts";
import { naturalOrder } from "../base/order.ts";
import { fsPath, rawNames } from "../node/raw-path.ts";
import { textIn } from "../record/unseen.ts";
import { type InputHost, type JobOptions, type ReadJob, readJob as readJobWith } from "./job/index.ts";
import { holdPipes } from "./held-pipes.ts";
import { logHost } from "./node-log.ts";
import { readParquet } from "./parquet.ts";

/** Folders behind symbolic links are not entered: they can form circles. */
function entriesOf(folder: string): { files: string[]; folders: string[] } {
  const [files, folders]: [string[], string[]] = [[], []];
  for (const name of rawNames(folder).sort()) {
    const path = join(folder, name);
    const raw = fsPath(path);
    if (lstatSync(raw, { throwIfNoEntry: false })?.isDirectory()) folders.push(path);
    else if (statSync(raw, { throwIfNoEntry: false })?.isFile()) files.push(path);
  }
  return { files, folders };
}

/** Host 10 behind host 9, process 1000 behind 999. */
function* filesBelow(folders: readonly string[]): Generator<string> {
  const byNumber = naturalOrder();
  for (const folder of [...folders].sort(byNumber)) {
    const below = entriesOf(folder);
    yield* below.files.sort(byNumber);
    yield* filesBelow(below.folders);
  }
}

export const nodeHost: InputHost = {
  ...logHost,
  list(path) {
    if (!statSync(fsPath(path)).isDirectory()) return undefined;
    return entriesOf(path).files;
  },
  below: (path) => [...filesBelow(entriesOf(path).folders)],
  textIn,
  identity: (path) => realpathSync.native(fsPath(path), "latin1"),
  isFile: (path) => statSync(fsPath(path)).isFile(),
  hash() {
    const hash = createHash("sha256");
    return { update: (bytes) => hash.update(bytes), hex: () => hash.digest("hex") };
  },
  readTable: readParquet,
};

/** The job in these files, folders and pipes; see `readJob` of src/inputs/job. */
export async function readJob(
  words: readonly string[],
  options?: JobOptions,
  listener?: Listener,
): Promise<ReadJob> {
  const { paths, host } = holdPipes(words, nodeHost);
  return readJobWith(paths, host, options, listener);
}
