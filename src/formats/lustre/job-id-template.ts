/**
 * What job ids of servers are made of. Clients build them as `jobid_name` says: `%j` the scheduler's number, `%e` program,
 * `%u` and `%g` user and group number, `%h` and `%H` host with and without domain, `%p` process, `%.7e` cut to seven
 * characters, and any text between. `%C` is ours: a part of the text that names the cluster, as in `cab:%j` on one cluster and
 * `quartz:%j` on another, which `%C:%j` describes.
 */
import { UsageError } from "../../base/errors.ts";

interface JobIdParts {
  /** Empty: the process had no job. */
  readonly job?: string;
  readonly cluster?: string;
  readonly host?: string;
  readonly uid?: string;
  readonly program?: string;
}

type Field = keyof JobIdParts;

interface Code {
  readonly pattern: string;
  readonly field?: Field;
}

/** A program may have any name; other parts end where the text of the template goes on. */
const CODES: Readonly<Record<string, Code>> = {
  j: { pattern: "[^\\s:/,;]*?", field: "job" },
  C: { pattern: "[A-Za-z][\\w-]*?", field: "cluster" },
  h: { pattern: "[\\w.-]*?", field: "host" },
  H: { pattern: "[\\w-]*?", field: "host" },
  u: { pattern: "\\d+", field: "uid" },
  e: { pattern: ".+?", field: "program" },
  g: { pattern: "\\d+" },
  p: { pattern: "\\d+" },
};

type JobIdTemplate = (id: string) => JobIdParts | undefined;

/** A function that takes an id apart; undefined for ids of another form. */
export function jobIdTemplate(text: string): JobIdTemplate {
  const fields: Field[] = [];
  let pattern = "";
  for (let at = 0; at < text.length; ) {
    const [whole, letter] = /^%(?:\.\d+)?(.)/.exec(text.slice(at)) ?? [text[at] as string];
    at += whole.length;
    if (letter === undefined) {
      if (whole === "%") throw unknownCode(text, "%");
      pattern += escaped(whole);
      continue;
    }
    const code = Object.hasOwn(CODES, letter) ? CODES[letter] : undefined;
    if (code === undefined) throw unknownCode(text, whole);
    const isNew = code.field !== undefined && !fields.includes(code.field);
    if (isNew) fields.push(code.field as Field);
    pattern += `(${isNew ? "" : "?:"}${code.pattern})`;
  }
  if (!fields.includes("job") && !fields.includes("uid"))
    throw new UsageError(
      `--job-id ${text} has neither %j nor %u; expected a template such as %j, %j:%u:%H or %C:%j`,
    );
  const whole = new RegExp(`^${pattern}$`, "s");
  return (id) => {
    const match = whole.exec(id);
    if (match === null) return undefined;
    return Object.fromEntries(fields.map((field, i) => [field, match[i + 1] as string])) as JobIdParts;
  };
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const unknownCode = (text: string, code: string) =>
  new UsageError(
    `--job-id ${text}: ${code} is not a jobid_name code (known: %j, %e, %u, %g, %h, %H, %p, and %C for the cluster)`,
  );

/** A job as the tables have it. */
export interface JobIdentity {
  readonly jobId: string;
  /** Undefined: nobody says. */
  readonly cluster: string | undefined;
  /** User number and node, where the id names them. */
  readonly userId: bigint | undefined;
  readonly node: string | undefined;
}

/**
 * The job of an id: its number where a template finds one, `program.uid` where it finds a user and no number, else the id as
 * it is. `cluster` is that of ids that do not name one.
 */
export function identityOf(
  id: string,
  templates: readonly JobIdTemplate[],
  cluster: string | undefined,
): JobIdentity {
  for (const template of templates) {
    const parts = template(id);
    if (parts === undefined) continue;
    const { job = "", uid, program = "-" } = parts;
    const jobId = job !== "" ? job : uid !== undefined ? `${program}.${uid}` : id;
    const node = parts.host === "" ? undefined : parts.host;
    return { jobId, cluster: parts.cluster ?? cluster, userId: userNumber(uid), node };
  }
  return { jobId: id, cluster, userId: undefined, node: undefined };
}

/** User numbers have 32 bits; more digits are part of a name. */
const userNumber = (text: string | undefined) =>
  text === undefined || text.length > 10 ? undefined : BigInt(text);
