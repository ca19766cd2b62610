/** Folders of a study in parts: each is made whole or not at all, and all must answer the same question of the same batches. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { assert } from "../base/assert.ts";
import { commandLine } from "../base/command-line.ts";
import { FormatError, UsageError } from "../base/errors.ts";
import { jsonText } from "../base/json.ts";
import { syncFolder, writeWhole } from "../node/durable.ts";
import { sortedNames } from "../node/folders.ts";
import type { StoreOptions } from "./database.ts";
import type { StoreSession } from "./session.ts";
import { Store } from "./store.ts";

interface PartFile {
  readonly kind: "plimsoll study part";
  readonly study: string;
  /** Options of the study, as JSON: parts of different questions do not add up. */
  readonly options: string;
  readonly index: number;
  readonly of: number;
  /** Which batches were read. */
  readonly batches: string;
}

const KIND = "plimsoll study part";
const SNAPSHOT = "snapshot.json";

/** Remembers which batches of a store count now: all parts read these, whatever others commit meanwhile. */
export async function takeSnapshot(store: string, parts: string): Promise<void> {
  const opened = await Store.open(store);
  const ids = opened.batches().map(({ id }) => id);
  await opened.close();
  const path = join(parts, SNAPSHOT);
  if (!existsSync(path)) writeWhole(path, `${JSON.stringify(ids)}\n`);
}

/** The part of one bucket of a store. */
interface PartWork {
  readonly store: string;
  readonly engine: StoreOptions;
  /** The folder of all parts. */
  readonly parts: string;
  /** From 1. */
  readonly index: number;
  readonly of: number;
  readonly study: string;
  readonly options: unknown;
  /** Tables that the bucket hands over, by name. */
  make(session: StoreSession, write: (name: string, sql: string) => Promise<unknown>): Promise<void>;
  /** Called with the folder that is removed when this is cut short, until the answer's `done`. */
  partial(folder: string): { done(): void };
}

/** Makes one part and gives its folder. Another process may make the same one: both are alike. */
export async function makePart(work: PartWork): Promise<string> {
  const { store, engine, parts, index, of, study, options } = work;
  assert(index >= 1 && index <= of, "a part is one of those that there are");
  const opened = await Store.open(store, engine);
  const batches = snapshotOf(parts) ?? opened.batches().map(({ id }) => id);
  assert(new Set(batches).size === batches.length, "every batch is read once");
  const session = await opened.query({ batches: opened.batchesOf(batches), bucket: { index, of } });
  const folder = partPath(parts, index, of);
  const made = `${folder}.part-${process.pid.toString(16)}`;
  mkdirSync(made, { recursive: true });
  const partial = work.partial(made);
  try {
    await work.make(session, (name, sql) => session.writeParquet(sql, join(made, `${name}.parquet`)));
    const file: PartFile = {
      kind: KIND,
      study,
      options: jsonText(options),
      index,
      of,
      batches: createHash("sha256").update(batches.join(" ")).digest("hex"),
    };
    writeWhole(join(made, "part.json"), `${JSON.stringify(file)}\n`);
    syncFolder(made);
    // What is there is of an earlier attempt, or of another process that is at the same.
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
    partial.done();
  } finally {
    session.close();
    await opened.close();
  }
  return folder;
}

/** Folders of all parts, which must be whole, of this study, and of the same batches. */
export function partFolders(parts: string, study: string, options: unknown): string[] {
  const found = sortedNames(resolve(parts)).filter((name) => /^\d+-of-\d+$/.test(name));
  const files = found.map((name) => readPart(join(parts, name)));
  const [first] = files;
  if (first === undefined)
    throw new UsageError(
      `${parts}: no study parts; make them with ${commandLine(["plimsoll", "study", study, "--part", "I/N", "--parts", parts])}`,
    );
  const missing = Array.from({ length: first.of }, (_, i) => i + 1).filter(
    (index) => !files.some((file) => file.index === index && file.of === first.of),
  );
  if (missing.length > 0 || files.length !== first.of)
    throw new UsageError(
      missing.length > 0
        ? `${parts}: ${missing.length} of ${first.of} parts are missing, the first is ${missing[0]}/${first.of}`
        : `${parts}: parts of different splits, ${found[0]} and ${found.find((name) => !name.endsWith(`-${first.of}`))}; use one folder per study`,
    );
  assert(new Set(files.map(({ index }) => index)).size === first.of, "every part counts once");
  const wanted = jsonText(options);
  for (const [i, file] of files.entries()) {
    const path = join(parts, found[i] as string);
    if (file.study !== study || file.options !== wanted)
      throw new UsageError(`${path} is a part of another study or of other options; make it again`);
    if (file.batches !== first.batches)
      throw new UsageError(
        `${path} and ${found[0]} read different batches of the store; make the parts again`,
      );
  }
  return found.map((name) => resolve(parts, name));
}

const partPath = (parts: string, index: number, of: number) => resolve(parts, `${index}-of-${of}`);

function readPart(folder: string): PartFile {
  const path = join(folder, "part.json");
  const file = parsed(path) as PartFile | undefined;
  if (file?.kind !== KIND) throw new FormatError(path, {}, "not a part of a study; make it again");
  return file;
}

function snapshotOf(parts: string): string[] | undefined {
  const path = join(parts, SNAPSHOT);
  if (!existsSync(path)) return undefined;
  const ids = parsed(path);
  if (!Array.isArray(ids)) throw new FormatError(path, {}, "not a list of batches");
  return ids.map(String);
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
