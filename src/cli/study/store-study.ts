/** A study over a store as a command. The same for all of them. */
import { thisCommand } from "../again.ts";
import { type OptionInfo, sizeOf } from "../../analyze/study/common/options.ts";
import { UsageError } from "../../base/errors.ts";
import type { Provenance } from "../../model/index.ts";
import {
  type StoreStudy,
  studyFolder,
  type StudyOutcome,
  studyPart,
  studyResult,
  studyStore,
} from "../../studies/store-study.ts";
import type { OptionSpecs } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";
import { writeResultFolder } from "../page-output.ts";
import { parseSlice } from "../slice.ts";
import { ENGINE_OPTIONS, type EngineValues, storeOptions } from "../store/options.ts";
import { version } from "../../../package.json";
import { kebab } from "./option-specs.ts";
import { whereText } from "./study-output.ts";

/** What every study over a store is asked. */
export const STUDY_OPTIONS = {
  store: option.text("DIR", "store to read"),
  output: option.output("DIR", "write report, figures and tables to this folder; replaces an earlier study"),
  ...ENGINE_OPTIONS,
  part: option.text("I/N", "only write the partial result of bucket I of N to --parts; for job arrays"),
  parts: option.text("DIR", "folder of partial results: with --part, write one; without it, combine all"),
} as const satisfies OptionSpecs;

export interface StudyCliOptions extends EngineValues, Readonly<Record<string, unknown>> {
  readonly store?: string;
  readonly output?: string;
  readonly part?: string;
  readonly parts?: string;
}

/** What is printed of it. */
interface StudyWords<Study> {
  /** Told before anything is written. */
  notes?(study: Study): readonly string[];
  text(study: Study, width: number, origin: Provenance): string;
}

export async function runStoreStudy<Study extends StudyOutcome>(
  kind: StoreStudy<Study>,
  given: StudyCliOptions,
  words: StudyWords<Study>,
  context: Context,
): Promise<void> {
  const { store, output, parts } = given;
  if (store === undefined) throw new UsageError("--store is missing: name a store folder");
  const source = { store, parts, engine: storeOptions(given) };
  if (given.part !== undefined) {
    if (parts === undefined) throw new UsageError("--part needs --parts DIR, the folder of all parts");
    const slice = parseSlice("--part", given.part);
    const folder = await studyPart(kind, source, slice, context);
    if (context.json) context.printJson({ part: folder, ...slice });
    else context.out.write(`wrote ${folder}\n`);
    return;
  }
  const studied = await studyStore(kind, source, output !== undefined, context);
  for (const note of words.notes?.(studied.study) ?? []) context.note(note);
  if (output !== undefined) {
    const about = { path: output, store, command: thisCommand(context), madeBy: `Plimsoll ${version}` };
    await writeResultFolder(studyFolder(kind, studied, about), context);
  }
  if (context.json) context.printJson(studyResult(kind, studied));
  else
    context.out.write(
      `${words.text(studied.study, context.columns, studied.origin)}${whereText(context, output)}`,
    );
}

/** The options of a study that the command line gives. */
export function givenOptions(
  infos: Readonly<Record<string, OptionInfo>>,
  given: StudyCliOptions,
  units?: "si" | "iec",
): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const [name, info] of Object.entries(infos)) {
    const value = given[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    // `--exclude-mounts ""` asks for none.
    if (Array.isArray(info.default) && info.default.length > 0)
      chosen[name] = (value as readonly string[]).filter((one) => one !== "");
    else chosen[name] = info.bytes ? sizeOf(`--${kebab(name)}`, String(value), units) : value;
  }
  return chosen;
}
