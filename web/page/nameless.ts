/** The same jobs without the names in them: logs are rewritten in memory, traces get other names as they are read. */
import { hmacSha256, hexText } from "../../src/base/sha256.ts";
import { bytesSource, HEAD_BYTES } from "../../src/base/source.ts";
import { findFormat } from "../../src/formats/catalogue.ts";
import { convertLog } from "../../src/formats/darshan/convert.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { decode } from "../../src/formats/darshan/job.ts";
import { obfuscation } from "../../src/formats/darshan/obfuscate.ts";
import { memorySink } from "../../src/formats/darshan/writer.ts";
import { findInputs, type InputHost } from "../../src/inputs/job/index.ts";
import { damageKeeper, type LogOptions, type OpenSource } from "../../src/inputs/log/index.ts";
import type { PreviewRow } from "./messages.ts";
import type { Jobs } from "./opening.ts";
import { encoders } from "./zlib.ts";

/** Names of one page are the same under the key of one visit, and nobody else has the key. */
export function newKey(): string {
  return hexText(crypto.getRandomValues(new Uint8Array(32)));
}

/** Every name of an input becomes `input-1`, `input-2`. Folders stay folders. */
export async function nameless({ host, paths }: Jobs, key: string, options: LogOptions): Promise<Jobs> {
  const logs = new Map<string, Uint8Array>();
  const originals = new Map<string, string>();
  const renamed: string[][] = [];
  for (const job of paths) {
    const names: string[] = [];
    for (const path of job) names.push(await add(path));
    renamed.push(names);
  }
  const wrapped: InputHost = {
    ...{ codecs: host.codecs, hash: () => host.hash(), isFile: (path) => originals.has(path) },
    identity: (path) => path,
    list: (path) => (originals.has(path) ? undefined : below(path)),
    below: () => [],
    readTable: async (path, ...rest) => host.readTable?.(originals.get(path) ?? path, ...rest),
    // What the recorder could not see names programs.
    textIn: () => undefined,
    open(path, options): OpenSource {
      const log = logs.get(path);
      if (log !== undefined) return { ...bytesSource(log, path), close() {} };
      const source = host.open(originals.get(path) ?? path, options);
      return {
        name: path,
        byteLength: source.byteLength,
        read: (offset, length, reuse) => source.read(offset, length, reuse),
        close: () => source.close(),
      };
    },
  };
  return { host: wrapped, paths: renamed };

  async function add(path: string): Promise<string> {
    if (host.isFile(path)) return addFile(path, `input-${originals.size + 1}`);
    const folder = `folder-${originals.size + 1}`;
    for (const file of filesOf(path, host)) await addFile(file, `${folder}/input-${originals.size + 1}`);
    return folder;
  }

  async function addFile(path: string, name: string): Promise<string> {
    originals.set(name, path);
    const log = await withoutNames(path, host, key, options);
    if (log !== undefined) logs.set(name, log);
    return name;
  }

  function below(path: string): string[] {
    return [...originals.keys()].filter((name) => name.startsWith(`${path}/`));
  }
}

/** Those of a folder that are read. */
const filesOf = (path: string, host: InputHost): string[] =>
  findInputs([path], ["counters", "calls"], host, {}).map((one) => one.path ?? "");

/** The bytes of a log without names; undefined for what is no log. */
async function withoutNames(
  path: string,
  host: InputHost,
  key: string,
  options: LogOptions,
): Promise<Uint8Array | undefined> {
  const { keepGoing = false } = options;
  const source = host.open(path, { allowCut: keepGoing });
  try {
    const format = findFormat(source.read(0, HEAD_BYTES), path, "counters", "calls");
    if (format?.counters === undefined) return undefined;
    const log = new DarshanLog(format.counters(source), { codecs: host.codecs, keepGoing });
    const sink = memorySink();
    await convertLog(log, sink, {
      encoders,
      renaming: obfuscation(log.job, key),
      ...(keepGoing ? { onDamage: damageKeeper(log, options) } : {}),
    });
    return sink.bytes();
  } finally {
    source.close();
  }
}

/** For names in traces: each part of a path by itself, so that what lies together stays together. */
export function traceRenaming(key: string): (text: string) => string {
  const keyBytes = new TextEncoder().encode(key);
  return (text) =>
    text.replace(/[^/]+/g, (part) =>
      hexText(hmacSha256(keyBytes, new TextEncoder().encode(`name\0${part}`)).subarray(0, 8)),
    );
}

const SHOWN_FILES = 5;
const SLASH = 0x2f;

/** What would stand in the place of what. */
export function previewRows({ host, paths }: Jobs, key: string): PreviewRow[] {
  const path = paths.flat().flatMap((one) => filesOf(one, host))[0] ?? "";
  const source = host.open(path);
  try {
    const format = findFormat(source.read(0, HEAD_BYTES), path, "counters", "calls");
    if (format?.counters === undefined) {
      const rename = traceRenaming(key);
      return [
        { what: "Input", before: path, after: "input-1" },
        {
          what: "Paths, hosts and programs",
          before: "/data/alice/run.h5",
          after: rename("/data/alice/run.h5"),
        },
      ];
    }
    const log = new DarshanLog(format.counters(source), { codecs: host.codecs });
    const { job } = log;
    const renaming = obfuscation(job, key);
    const text = (bytes: Uint8Array) => decode(bytes);
    const names = [...log.names.entries()].filter(({ bytes }) => bytes[0] === SLASH).slice(0, SHOWN_FILES);
    return [
      { what: "Input", before: path, after: "input-1" },
      {
        what: "Program",
        before: job.commandLine,
        after: text(renaming.commandLine(new TextEncoder().encode(job.commandLine))),
      },
      { what: "Job", before: String(job.jobId), after: String(renaming.jobId(job.jobId)) },
      { what: "User", before: String(job.uid), after: String(renaming.uid(job.uid)) },
      ...names.map(({ bytes }) => ({ what: "File", before: text(bytes), after: text(renaming.name(bytes)) })),
    ];
  } finally {
    source.close();
  }
}
