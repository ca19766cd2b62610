/** What the tests of the recorder share: programs built from test/record, runs, and traces as plain objects. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openFile } from "../../src/node/file-source.ts";
import { readHeader, type TraceHeader } from "../../src/formats/trace/header.ts";
import { readTrace } from "../../src/formats/trace/reader.ts";
import { tellFacts } from "../../src/formats/trace/notes.ts";
import { strace } from "../../src/formats/strace/format.ts";
import { straceWords } from "../../src/record/strace.ts";
import { CALL_ERROR, type CallNote, type CallProcess, Operation } from "../../src/model/calls.ts";
import { gatherFolder } from "../../src/record/gather.ts";
import { type RecordOptions, type RecordRun, recordCommand } from "../../src/record/launch.ts";

const here = dirname(fileURLToPath(import.meta.url));

/** Set in `Access.flags` beside those of the model. */
export const WRITE_FLAG = 1;

export interface Access {
  readonly path: string;
  readonly bytes: number;
  readonly moved: number;
  /** In the file; NaN when not known. */
  readonly offset: number;
  readonly flags: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly pid: number;
}

export interface Metadata {
  /** A key of `Operation`. */
  readonly operation: string;
  readonly path: string;
  readonly flags: number;
  readonly layer: number;
  readonly seconds: number;
}

export interface Recorded extends RecordRun {
  readonly accesses: readonly Access[];
  readonly metadata: readonly Metadata[];
  readonly processes: readonly CallProcess[];
  readonly notes: ReadonlyMap<string, CallNote>;
  readonly headers: readonly TraceHeader[];
}

export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "plimsoll-record-"));
  #runs = 0;

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Builds test/record/NAME.c. */
  build(name: string, { compiler = "cc", flags = [] as string[], as = name } = {}): string {
    const program = this.path(as);
    const args = ["-O1", "-w", "-pthread", ...flags, "-o", program, join(here, `${name}.c`)];
    const { status, stderr } = spawnSync(compiler, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${compiler} cannot build ${name}.c: ${stderr}`);
    return program;
  }

  /** Runs a command under the recorder, its output kept from the terminal, and reads the trace. */
  async record(command: readonly string[], options: Partial<RecordOptions> = {}): Promise<Recorded> {
    const folder = this.path(`trace-${++this.#runs}`);
    const run = await recordCommand(command, {
      folder,
      with: "shim",
      stdio: "ignore",
      cwd: this.folder,
      ...options,
    });
    return { ...run, ...readFolder(folder) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const NAMES = Object.keys(Operation);

export function readFolder(folder: string) {
  const accesses: Access[] = [];
  const metadata: Metadata[] = [];
  const processes: CallProcess[] = [];
  const notes = new Map<string, CallNote>();
  const headers: TraceHeader[] = [];
  const { files } = gatherFolder(folder);
  const facts = files.map((path) => {
    const paths: string[] = [];
    const source = openFile(path);
    try {
      const header = readHeader(source);
      headers.push(header);
      return readTrace(source, {
        clock() {},
        process: (process) => processes.push(process) - 1,
        file: (file) => paths.push(file.path) - 1,
        note() {},
        block(block) {
          for (let i = 0; i < block.count; i++) {
            if ((block.operation[i] as number) > Operation.write) {
              metadata.push({
                operation: NAMES[block.operation[i] as number] as string,
                path: paths[block.file[i] as number] as string,
                flags: block.flags[i] as number,
                layer: block.layer[i] as number,
                seconds: ((block.endNs[i] as number) - (block.startNs[i] as number)) / 1e9,
              });
              continue;
            }
            accesses.push({
              path: paths[block.file[i] as number] as string,
              bytes: block.bytes[i] as number,
              moved: block.movedBytes?.[i] as number,
              offset: block.offset?.[i] ?? Number.NaN,
              flags: (block.flags[i] as number) | (block.operation[i] === Operation.write ? WRITE_FLAG : 0),
              startNs: block.startNs[i] as number,
              endNs: block.endNs[i] as number,
              pid: header.pid,
            });
          }
        },
      });
    } finally {
      source.close();
    }
  });
  tellFacts(facts, {
    clock() {},
    process: () => 0,
    file: () => 0,
    block() {},
    note: (note) => void notes.set(note.id, note),
  });
  return { accesses, metadata, processes, notes, headers };
}

/** Paths below a folder, for a comparison of what programs left. */
export const listFolder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

/** Bytes read and written per file below a folder, by its name there. */
export type BytesOfFiles = Readonly<Record<string, { readonly read: number; readonly written: number }>>;

export function writtenAndRead(accesses: readonly Access[], below: string): BytesOfFiles {
  const files: Record<string, { read: number; written: number }> = {};
  for (const { path, moved, flags } of accesses) {
    if (!path.startsWith(`${below}/`) || Number.isNaN(moved)) continue;
    const file = (files[path.slice(below.length + 1)] ??= { read: 0, written: 0 });
    file[(flags & WRITE_FLAG) !== 0 ? "written" : "read"] += moved;
  }
  return files;
}

/** The same of a run under strace, which sees every system call. */
export function straceBytes(
  shop: Workshop,
  command: readonly string[],
  below: string,
  { cwd = below, env = process.env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): {
  readonly bytes: BytesOfFiles;
  readonly calls: readonly Access[];
  readonly accesses: number;
  readonly metadata: readonly string[];
  readonly status: number | null;
} {
  const output = shop.path("strace.txt");
  const words = straceWords(output, env) as string[];
  // Not to /dev/null: grep stops there at the first match.
  const { status } = spawnSync(words[0] as string, [...words.slice(1), ...command], { cwd, env });
  const [paths, accesses, metadata]: [string[], Access[], string[]] = [[], [], []];
  const source = openFile(output);
  try {
    strace.calls(source, {
      clock() {},
      process: () => 0,
      file: ({ path }) => paths.push(path) - 1,
      note() {},
      block(block) {
        for (let i = 0; i < block.count; i++) {
          if ((block.operation[i] as number) > Operation.write) {
            const path = paths[block.file[i] as number] as string;
            if (path.startsWith(`${below}/`))
              metadata.push(
                metadataLine(NAMES[block.operation[i] as number] as string, path, block.flags[i] as number),
              );
            continue;
          }
          accesses.push({
            path: (paths[block.file[i] as number] as string).replace(/ \(deleted\)$/, ""),
            bytes: block.bytes[i] as number,
            moved: block.movedBytes?.[i] as number,
            flags: block.operation[i] === Operation.write ? WRITE_FLAG : 0,
            offset: block.offset?.[i] ?? Number.NaN,
            ...{ startNs: 0, endNs: 0, pid: 0 },
          });
        }
      },
    });
  } finally {
    source.close();
  }
  return {
    bytes: writtenAndRead(accesses, below),
    calls: accesses,
    accesses: accesses.filter(({ path }) => path.startsWith(`${below}/`)).length,
    metadata,
    status,
  };
}

/** `open! /path`: an operation, whether it failed, and the file. */
export const metadataLine = (operation: string, path: string, flags: number): string =>
  `${operation}${(flags & CALL_ERROR) === 0 ? "" : "!"} ${path}`;
