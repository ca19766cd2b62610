/** Studies in parts: a folder for each bucket of a store, and one study of them all. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { FormatError, UsageError } from "../../base/errors.ts";
import { jsonText } from "../../base/json.ts";
import type { HandOver } from "../../analyze/study/common/parts.ts";
import type { Queryable } from "../../model/index.ts";
import { syncFolder, writeWhole } from "../../node/durable.ts";
import { namesIn } from "../../node/folders.ts";
import type { OptionSpecs } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";
import { parseSlice } from "../slice.ts";
import { type EngineValues, storeOptions } from "../store/options.ts";

export const PART_OPTIONS = {
  part: option.text("I/N", "only write the partial result of bucket I of N to --parts; for job arrays"),
  parts: option.text("DIR", "folder of partial results: with --part, write one; without it, combine all"),
} as const satisfies OptionSpecs;

export interface PartValues extends EngineValues {
  readonly store?: string;
  readonly part?: string;
  readonly parts?: string;
}

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
  const { Store } = await import("../../store/index.ts");
  const opened = await Store.open(store);
  const ids = opened.batches().map(({ id }) => id);
  await opened.close();
  const path = join(parts, SNAPSHOT);
  if (!existsSync(path)) writeWhole(path, `${JSON.stringify(ids)}\n`);
}

interface PartWork {
  readonly study: string;
  readonly options: unknown;
  readonly databaseBytes: number;
  make(db: Queryable, write: HandOver): Promise<void>;
}

/** Makes one part: a folder that is there whole or not at all. Another process may make the same one: both are alike. */
export async function writePart(given: PartValues, work: PartWork, context: Context): Promise<void> {
  const { parts, store = "" } = given;
  if (parts === undefined) throw new UsageError("--part needs --parts DIR, the folder of all parts");
  const { index, of } = parseSlice("--part", given.part ?? "");
  const { Store } = await import("../../store/index.ts");
  const opened = await Store.open(store, storeOptions({ ...given, memory: work.databaseBytes }));
  const batches = snapshotOf(parts) ?? opened.batches().map(({ id }) => id);
  const session = await opened.query({ batches: opened.batchesOf(batches), bucket: { index, of } });
  const folder = partPath(parts, index, of);
  const made = `${folder}.part-${process.pid.toString(16)}`;
  mkdirSync(made, { recursive: true });
  const partial = context.partialOutput(made);
  try {
    await work.make(session, (name, sql) => session.writeParquet(sql, join(made, `${name}.parquet`)));
    const file: PartFile = {
      kind: KIND,
      study: work.study,
      options: jsonText(work.options),
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
  if (context.json) context.printJson({ part: folder, index, of });
  else context.out.write(`wrote ${folder}\n`);
}

/** Folders of all parts, which must be whole, of this study, and of the same batches. */
export function partFolders(parts: string, study: string, options: unknown): string[] {
  const found = namesIn(resolve(parts)).filter((name) => /^\d+-of-\d+$/.test(name));
  const files = found.map((name) => readPart(join(parts, name)));
  const [first] = files;
  if (first === undefined)
    throw new UsageError(
      `${parts}: no parts of a study; make them with plimsoll study ${study} --part I/N --parts ${parts}`,
    );
  const missing = Array.from({ length: first.of }, (_, i) => i + 1).filter(
    (index) => !files.some((file) => file.index === index && file.of === first.of),
  );
  if (missing.length > 0 || files.length !== first.of)
    throw new UsageError(
      missing.length > 0
        ? `${parts}: ${missing.length} of ${first.of} parts are missing, the first is ${missing[0]}/${first.of}`
        : `${parts}: parts of different numbers, ${found[0]} and ${found.find((name) => !name.endsWith(`-${first.of}`))}; use a folder for each study`,
    );
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
