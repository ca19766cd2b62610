/** The first reading of a text: the job, names of records, and which modules have lines. */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import type { JobFacts } from "../darshan/writer.ts";
import { bytesOf, counterLine, eachLine, segmentLine } from "./text.ts";

interface TextSurvey {
  readonly job: JobFacts;
  readonly names: ReadonlyMap<string, Uint8Array>;
  readonly modules: ReadonlySet<string>;
  /** Whose data is incomplete. */
  readonly partial: ReadonlySet<string>;
}

const INCOMPLETE = /^# \*WARNING\*: [Tt]he (\S+) .*incomplete/;
/** Headings of `--file`, `--perf` and `--file-list`, which may stand beside records or alone. */
const SUMMARY = /^# (?:Total file counts|performance|Per-file summary of I\/O activity)/;
const TRACED_FILE = /^# DXT, file_id: (\d+), file_name: (.*)$/;

export function surveyText(source: ByteSource): TextSurvey {
  const facts = new Map<string, string>();
  const metadata: [string, string][] = [];
  const mounts: { path: Uint8Array; type: Uint8Array }[] = [];
  const names = new Map<string, Uint8Array>();
  const modules = new Set<string>();
  const partial = new Set<string>();
  let [summaries, odd, oddFirst] = [0, 0, 0];
  const comment = (line: string) => {
    if (SUMMARY.test(line)) summaries++;
    const traced = TRACED_FILE.exec(line);
    if (traced !== null) names.set(traced[1] as string, bytesOf(traced[2] as string));
    const incomplete = INCOMPLETE.exec(line)?.[1];
    if (incomplete !== undefined) partial.add(incomplete);
    const [, path, type] = line.startsWith("# mount entry:") ? line.split("\t") : [];
    if (path !== undefined && type !== undefined) mounts.push({ path: bytesOf(path), type: bytesOf(type) });
    const pair = /^# metadata: (.*?) = (.*)$/.exec(line);
    if (pair !== null) metadata.push([pair[1] as string, pair[2] as string]);
    const fact = /^# ([a-z_ ]+): (.*)$/.exec(line);
    if (fact !== null && !facts.has(fact[1] as string)) facts.set(fact[1] as string, fact[2] as string);
  };
  eachLine(source, (line, number) => {
    if (line === "") return;
    if (line.startsWith("#")) return comment(line);
    if (line.startsWith("total_")) return void summaries++;
    const counter = counterLine(line);
    const module = counter?.module ?? segmentLine(line)?.module;
    if (module === undefined) {
      odd++;
      oddFirst ||= number;
      return;
    }
    modules.add(module);
    if (counter !== undefined && !names.has(counter.id)) names.set(counter.id, bytesOf(counter.name));
  });
  const refuse = (text: string, line?: number): never => {
    throw new FormatError(source.name, line === undefined ? {} : { line }, text);
  };
  const version = facts.get("darshan log version") ?? "";
  if (/^[12]\./.test(version))
    refuse(
      `text of a log of Darshan ${version.trim()}, which has different counters; Darshan 3.0 and newer can be read`,
    );
  if (modules.size === 0 && summaries > 0)
    refuse(
      "totals only (darshan-parser --total, --file, --perf or --file-list), no file records; print the log with darshan-parser --base, or pass the log itself",
    );
  if (odd > 0) refuse(`${odd} lines are neither counters nor traced calls`, oddFirst);
  return { job: jobOf(facts, metadata, mounts, refuse), names, modules, partial };
}

function jobOf(
  facts: ReadonlyMap<string, string>,
  metadata: JobFacts["metadata"] & object,
  mounts: JobFacts["mounts"] & object,
  refuse: (text: string) => never,
): JobFacts {
  const whole = (key: string): bigint => {
    const text = facts.get(key);
    return text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : refuse(`no line "# ${key}: …"`);
  };
  const start = whole("start_time");
  const end = whole("end_time");
  // The text rounds times of the day to seconds; the run time is finer.
  const run = Number(facts.get("run time") ?? Number.NaN);
  const ns = end > 0n && run >= 0 ? BigInt(Math.round(run * 1e6)) * 1000n : (end - start) * 1_000_000_000n;
  const billion = 1_000_000_000n;
  return {
    ...{ uid: whole("uid"), jobId: whole("jobid"), nprocs: whole("nprocs"), startSeconds: start },
    endSeconds: end > 0n ? start + ns / billion : 0n,
    endNanoseconds: end > 0n ? ns % billion : 0n,
    metadata,
    commandLine: bytesOf(facts.get("exe") ?? ""),
    mounts,
  };
}
