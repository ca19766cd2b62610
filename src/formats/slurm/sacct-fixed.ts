/**
 * `sacct` without `--parsable2` prints columns of fixed width and cuts what is longer: `User` to nine characters, `JobName`
 * to ten. What was cut cannot be known, so such a list is refused with the command that prints a whole one.
 *
 *     JobID           JobName  Partition    Account  AllocCPUS      State ExitCode
 *     ------------ ---------- ---------- ---------- ---------- ---------- --------
 *     331             vpic io      batch       phys          4  COMPLETED      0:0
 */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import type { SlurmFile } from "./fields.ts";

/** The columns that a list of jobs needs, and what prints them; times are seconds since 1970. */
export const SACCT_COMMAND =
  "SLURM_TIME_FORMAT=%s sacct -a -X -D -P --noconvert -S START -E END " +
  "-o Cluster,JobIDRaw,JobID,User,UID,Account,Partition,State,Submit,Start,End,NNodes,NCPUS,JobName";

const NAME = /^[A-Za-z]\w*$/;
const RULE = /^\s*-+(\s+-+)*\s*$/;

/** A line of column names, one of them a job id, above a line of dashes; or names that only blanks keep apart. */
export function isFixedWidth(lines: readonly string[]): boolean {
  const [header = "", second = ""] = lines.filter((line) => line.trim() !== "");
  const names = header.trim().split(/\s+/);
  if (!names.every((name) => NAME.test(name)) || !names.some((name) => /^job_?id(raw)?$/i.test(name)))
    return false;
  return RULE.test(second) || (names.length > 1 && /\S {2,}\S/.test(header));
}

export function refuseFixedWidth(source: ByteSource): SlurmFile {
  throw new FormatError(
    source.name,
    { line: 1 },
    `fixed-width columns (sacct without -P), in which long values are truncated; create the list with: ${SACCT_COMMAND}`,
  );
}
