/** Slurm's accounting in its text forms. */
import { FormatError } from "../../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../../base/source.ts";
import { headLines } from "../text/windows.ts";
import type { SlurmFile, SlurmOptions } from "./fields.ts";
import { isJobcompLine, readJobcomp } from "./jobcomp.ts";
import { readSacctJson } from "./sacct-json.ts";
import { isFixedWidth, refuseFixedWidth } from "./sacct-fixed.ts";
import { isSacctHeader, readSacctText } from "./sacct-text.ts";

type SlurmKind = "sacct" | "sacct-fixed" | "sacct-json" | "jobcomp";

interface Rule {
  readonly kind: SlurmKind;
  readonly fits: (lines: readonly string[], text: string) => boolean;
  readonly read: (source: ByteSource, options: SlurmOptions) => SlurmFile;
}

const RULES: readonly Rule[] = [
  { kind: "jobcomp", fits: ([first = ""]) => isJobcompLine(first), read: readJobcomp },
  { kind: "sacct-fixed", fits: isFixedWidth, read: refuseFixedWidth },
  { kind: "sacct", fits: ([first = ""]) => isSacctHeader(first), read: readSacctText },
  {
    kind: "sacct-json",
    // fio and our manifests have jobs, too.
    fits: (_, text) =>
      /^\s*\{/.test(text) &&
      /"(Slurm|slurm|openapi\\?\/dbv)"|"jobs"\s*:\s*\[/.test(text) &&
      !/"fio version"|"plimsoll batch"/.test(text),
    read: readSacctJson,
  },
];

export function recognizeSlurm(head: Uint8Array): SlurmKind | undefined {
  const lines = headLines(head);
  return RULES.find(({ fits }) => fits(lines, lines.join("\n")))?.kind;
}

/** Reads any of the forms; `columns` in the options says that it is text without a header. */
export function readSlurm(source: ByteSource, options: SlurmOptions = {}): SlurmFile {
  if (options.columns !== undefined) return readSacctText(source, options);
  const kind = recognizeSlurm(source.read(0, HEAD_BYTES));
  const rule = RULES.find((candidate) => candidate.kind === kind);
  if (rule === undefined)
    throw new FormatError(
      source.name,
      { line: 1 },
      "not output of sacct --parsable2 or --json, and no job completion file",
    );
  return rule.read(source, options);
}

export { SACCT_COMMAND } from "./sacct-fixed.ts";
export type { SlurmJob } from "./job.ts";
export { expandNodeList } from "./nodes.ts";
export { timeOf, type Zone, zoneOf } from "./times.ts";
export { slurm } from "./format.ts";
