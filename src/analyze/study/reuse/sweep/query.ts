/** What is read of the accesses, as SQL: narrow columns without NULL, in the order in which records take them. */
import type { ReuseOptions } from "../options.ts";
import {
  COMPLETE,
  LAYER_NAMES,
  LAYER_SHIFT,
  NO_APPLICATION,
  NO_USER,
  SINGLE_RANK,
  TIMED,
} from "./records.ts";

/** Starts are kept with the type of the access in two bits below them. */
const START_MAX = 2n ** 62n - 1n;

export interface AccessSql {
  readonly options: ReuseOptions;
  /** Whether there are runs whose clock cannot be right (`reuse_bad_runs`). */
  readonly badRuns: boolean;
  /** Views of shares of the accesses that are studied. */
  readonly inputs: readonly string[];
}

/** The accesses of the selected files with numbers from `from` to before `to`, in statements to be read side by side. */
export function accessSql({ options, badRuns, inputs }: AccessSql, from: number, to: number): string[] {
  const timed = `(${badRuns ? "b.run_id is null and " : ""}coalesce(a.start_unix_ns between 0 and ${START_MAX}, false))`;
  const double = (value: string) => `coalesce(${value}, 'nan'::double)`;
  const bit = (test: string, flag: number) => `if(${test}, ${flag}, 0)`;
  const layers = LAYER_NAMES.flatMap((name, code) =>
    name === null || name === "other" ? [] : [`when '${name}' then ${code}`],
  );
  const layer = `case a.layer ${layers.join(" ")} else if(a.layer is null, ${LAYER_NAMES.indexOf(null)}, ${LAYER_NAMES.indexOf("other")}) end`;
  const flags = [
    `(${layer}) * ${1 << LAYER_SHIFT}`,
    bit(completeSql(options, "a.is_partial"), COMPLETE),
    bit(timed, TIMED),
    bit("a.ranks = 1", SINGLE_RANK),
    bit("a.application_id is null", NO_APPLICATION),
    bit("a.user_id is null", NO_USER),
  ];
  const columns = [
    `cast(s.file_no - ${from} as uinteger)`,
    "a.run_id",
    "coalesce(a.application_id, 0::ubigint)",
    "coalesce(a.user_id, 0::bigint)",
    `if(${timed}, cast(a.start_unix_ns as ubigint), 0::ubigint)`,
    // What is negative was not recorded; that is told apart later, at less cost.
    "coalesce(a.bytes_read, -1::bigint)",
    "coalesce(a.bytes_written, -1::bigint)",
    double(ioSql(options)),
    double("a.variance_bytes"),
    double("a.variance_seconds"),
    `cast(${flags.join(" + ")} as uinteger)`,
    "hash(a.osts)",
    "cast(if(a.stripe_count between 0 and 2147483647, a.stripe_count, -1) as integer)",
    // From the start to the end of the run; a run without an end has no length.
    ...(options.gap === "end-start"
      ? ["coalesce(cast(a.end_unix_ns - a.start_unix_ns as double), 0::double)"]
      : []),
  ];
  return inputs.map(
    (input) => `select ${columns.join(", ")} from ${input} a
    join (select file_id, mount_no, file_no from reuse_selected where file_no >= ${from} and file_no < ${to}) s
      on a.file_id = s.file_id and a.mount_no = s.mount_no
    ${badRuns ? "left join reuse_bad_runs b on a.run_id = b.run_id" : ""}`,
  );
}

export const completeSql = ({ partial }: ReuseOptions, isPartial: string): string =>
  partial === "use" ? "true" : `not ${isPartial}`;

/** I/O time of an access, as SQL; what was not recorded stays so. */
function ioSql({ ioTime }: ReuseOptions): string {
  return ioTime === "slowest"
    ? "a.slowest_seconds"
    : "(coalesce(a.read_seconds, 0) + coalesce(a.write_seconds, 0) + coalesce(a.meta_seconds, 0) + (0 * coalesce(a.read_seconds, a.write_seconds, a.meta_seconds)))";
}

/** Run, bytes and flags of accesses: one slice of `of` by run. With runBytes `all` those of all files of the runs. */
export function runSql(options: ReuseOptions, slice: number, of: number, all = "reuse_input"): string {
  const selected = "join reuse_selected s on a.file_id = s.file_id and a.mount_no = s.mount_no";
  const [from, only] =
    options.runBytes === "all"
      ? [`${all} a`, `a.run_id in (select a.run_id from reuse_input a ${selected})`]
      : [`reuse_input a ${selected}`, "true"];
  const mine = of === 1 ? "true" : `hash(a.run_id) % ${of} = ${slice}`;
  return `select a.run_id, coalesce(a.r, -1::bigint), coalesce(a.w, -1::bigint),
      cast(if(${completeSql(options, "a.is_partial")}, ${COMPLETE}, 0) as uinteger)
    from ${from} where ${only} and ${mine}`;
}
