/** `sacct --json` of several releases: times are epochs; later ones wrap numbers and list states. */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import type { SlurmFile, SlurmOptions } from "./fields.ts";
import { noteBroken } from "./job.ts";
import { rowsFor } from "./sacct-text.ts";

/** A document must fit one string. */
const BYTES_MAX = 512 << 20;

type Json = Readonly<Record<string, unknown>>;

export function readSacctJson(source: ByteSource, options: SlurmOptions = {}): SlurmFile {
  if (source.byteLength > BYTES_MAX)
    throw new FormatError(source.name, {}, "JSON of more than 512 MiB; use sacct --parsable2 instead");
  const { jobs, complaints } = jobList(source);
  const rows = rowsFor(options);
  rows.notes.complaints.push(...complaints);
  for (const [index, job] of jobs.entries()) {
    if (isObject(job)) rows.add(index + 1, (column) => columnOf(job, column));
    else {
      rows.notes.rows++;
      noteBroken(rows.notes, index + 1, "an entry of jobs is not an object");
    }
  }
  return { jobs: rows.jobs, notes: rows.notes };
}

function jobList(source: ByteSource): {
  readonly jobs: readonly unknown[];
  readonly complaints: readonly string[];
} {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let piece: Uint8Array; (piece = source.read(length, 1 << 20)).length > 0; length += piece.length) {
    if (length > BYTES_MAX)
      throw new FormatError(source.name, {}, "JSON of more than 512 MiB; use sacct --parsable2 instead");
    pieces.push(piece);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new FormatError(
      source.name,
      {},
      `invalid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const { jobs } = isObject(document) ? document : {};
  const complaints = isObject(document) ? complaintsOf(document) : [];
  if (!Array.isArray(jobs)) {
    const why =
      complaints.length > 0 ? `Slurm reported: ${complaints[0]}` : "expected output of sacct --json";
    throw new FormatError(source.name, {}, `no list of jobs in it; ${why}`);
  }
  return { jobs, complaints };
}

/** sacct ends with 0 also where it failed: the reason is in the document only. */
function complaintsOf(document: Json): string[] {
  if (!Array.isArray(document.errors)) return [];
  const texts = document.errors
    .filter(isObject)
    .map((entry) => plain(entry.error) ?? plain(entry.description));
  return texts.filter((text) => text !== undefined);
}

/** Where a column of the text form is in a job of the JSON form. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  jobid: ["job_id"],
  jobidraw: ["job_id"],
  cluster: ["cluster"],
  user: ["association.user", "user"],
  group: ["group"],
  account: ["account", "association.account"],
  partition: ["partition"],
  qos: ["qos"],
  jobname: ["name"],
  submit: ["time.submission"],
  eligible: ["time.eligible"],
  start: ["time.start"],
  end: ["time.end"],
  elapsedraw: ["time.elapsed"],
  nnodes: ["allocation_nodes"],
  nodelist: ["nodes"],
  workdir: ["working_directory"],
};

function columnOf(job: Json, column: string): string | undefined {
  switch (column) {
    case "state":
      return stateText(at(job, "state.current"), plain(job.kill_request_user));
    case "exitcode":
      return exitText(job);
    case "alloctres":
      return tresText(at(job, "tres.allocated"));
    case "ncpus":
      return tresCount(at(job, "tres.allocated"), "cpu") ?? plain(at(job, "required.CPUs"));
    case "arrayjobid":
      return nonZero(plain(at(job, "array.job_id")));
    case "arraytaskid":
      return plain(at(job, "array.job_id")) === "0" ? undefined : plain(at(job, "array.task_id"));
    case "hetjobid":
      return nonZero(plain(at(job, "het.job_id")));
    case "hetjoboffset":
      return plain(at(job, "het.job_id")) === "0" ? undefined : plain(at(job, "het.job_offset"));
  }
  for (const path of PATHS[column] ?? []) {
    const value = plain(at(job, path));
    if (value !== undefined) return value;
  }
  return undefined;
}

function at(job: Json, path: string): unknown {
  let value: unknown = job;
  for (const name of path.split(".")) value = isObject(value) ? value[name] : undefined;
  return value;
}

/** A text or number as text; `{ set, infinite, number }` of later releases is its number when set. */
function plain(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (isObject(value) && typeof value.number === "number")
    return value.set === false ? undefined : String(value.number);
  return undefined;
}

const nonZero = (text: string | undefined) => (text === "0" ? undefined : text);

/** A word, or a list whose first is the base state and the others flags; who cancelled it stands elsewhere. */
function stateText(value: unknown, cancelledBy: string | undefined): string | undefined {
  const state = Array.isArray(value) ? plain(value[0]) : plain(value);
  return state === "CANCELLED" && cancelledBy ? `${state} by ${cancelledBy}` : state;
}

function exitText(job: Json): string | undefined {
  const code = plain(at(job, "exit_code.return_code"));
  const signal = plain(at(job, "exit_code.signal.id")) ?? plain(at(job, "exit_code.signal.signal_id"));
  return code === undefined ? undefined : `${code}:${signal ?? 0}`;
}

function tresText(list: unknown): string {
  if (!Array.isArray(list)) return "";
  return (
    list
      .filter(isObject)
      // What is not gathered, such as energy, is listed without a count.
      .filter((entry) => plain(entry.count) !== undefined)
      .map((entry) => {
        const name = plain(entry.name);
        return `${plain(entry.type) ?? ""}${name ? `/${name}` : ""}=${plain(entry.count)}`;
      })
      .join(",")
  );
}

function tresCount(list: unknown, type: string): string | undefined {
  return Array.isArray(list)
    ? plain(list.filter(isObject).find((entry) => entry.type === type)?.count)
    : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
