/** Options of studies in parts: a folder for each bucket of a store, and one study of them all. */
import type { HandOver } from "../../analyze/study/common/parts.ts";
import { UsageError } from "../../base/errors.ts";
import type { Queryable } from "../../model/index.ts";
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

interface StudyPart {
  readonly study: string;
  readonly options: unknown;
  readonly databaseBytes: number;
  make(db: Queryable, write: HandOver): Promise<void>;
}

export async function writePart(given: PartValues, part: StudyPart, context: Context): Promise<void> {
  const { parts, store = "" } = given;
  if (parts === undefined) throw new UsageError("--part needs --parts DIR, the folder of all parts");
  const { index, of } = parseSlice("--part", given.part ?? "");
  const { makePart } = await import("../../store/index.ts");
  const engine = storeOptions({ ...given, memory: part.databaseBytes });
  const partial = (path: string) => context.partialOutput(path);
  const folder = await makePart({ store, engine, parts, index, of, ...part, partial });
  if (context.json) context.printJson({ part: folder, index, of });
  else context.out.write(`wrote ${folder}\n`);
}
