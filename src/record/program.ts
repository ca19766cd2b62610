/** What kind of program a command names: the recorder can only be loaded into dynamically linked ones of this machine. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { HEAD_BYTES } from "../base/source.ts";
import type { Environment } from "./compiler.ts";

export interface Program {
  readonly path: string;
  /** Why the recorder cannot see what it does; absent when it can. */
  readonly unseen?: string;
  /** It runs with other rights than ours: set-uid or set-gid. */
  readonly privileged?: boolean;
  /** A library that must be loaded before ours. */
  readonly first?: string;
}

type Judgement = Omit<Program, "path">;

/** Finds the program as a shell would; undefined when there is none. */
export function findProgram(name: string, env: Environment, cwd = process.cwd()): Program | undefined {
  const places = name.includes("/")
    ? [""]
    : (env.PATH ?? "/usr/bin:/bin").split(delimiter).map((one) => one || ".");
  for (const place of places) {
    const path =
      place === ""
        ? join(name.startsWith("/") ? "" : cwd, name)
        : join(place.startsWith("/") ? "" : cwd, place, name);
    if (isExecutable(path)) return { path, ...judge(path, env, cwd) };
  }
  return undefined;
}

/** Of a name that is no program, in the words of a shell. */
export function whyNotFound(name: string, cwd = process.cwd()): string {
  const found = name.includes("/") ? statSync(resolve(cwd, name), { throwIfNoEntry: false }) : undefined;
  if (found === undefined) return "no such program";
  return found.isDirectory() ? "is a folder" : "is not executable (use chmod +x)";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function judge(path: string, env: Environment, cwd: string, depth = 0): Judgement {
  const head = headOf(path);
  // Unreadable programs can still be run; then nothing is known, and loading is tried.
  if (head === undefined) return {};
  if (head[0] === 0x23 && head[1] === 0x21) return depth > 3 ? {} : judgeInterpreter(head, env, cwd, depth);
  if (isSetUid(path)) return { unseen: `${path} is a set-uid program`, privileged: true };
  const unseen = elfReason(path, head);
  if (unseen !== undefined) return { unseen };
  const first = firstLibrary(path);
  return first === undefined ? {} : { first };
}

/** `#!/usr/bin/env python3` is a program that starts another; both are looked at. */
function judgeInterpreter(head: Uint8Array, env: Environment, cwd: string, depth: number): Judgement {
  const line = Buffer.from(head.subarray(2, 256)).toString("latin1").split("\n")[0] ?? "";
  const words = line.trim().split(/\s+/);
  const [interpreter = "", second] = words;
  if (
    /(^|\/)env$/.test(interpreter) &&
    second !== undefined &&
    !second.startsWith("-") &&
    !second.includes("=")
  ) {
    const { path: _, ...judgement } = findProgram(second, env, cwd) ?? { path: "" };
    return judgement;
  }
  return interpreter.startsWith("/") ? judge(interpreter, env, cwd, depth + 1) : {};
}

function headOf(path: string, size = HEAD_BYTES): Uint8Array | undefined {
  try {
    const descriptor = openSync(path, "r");
    try {
      const bytes = new Uint8Array(size);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, size, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function isSetUid(path: string): boolean {
  const { mode, uid, gid } = statSync(path);
  const changesUser = (mode & 0o4000) !== 0 && uid !== process.geteuid?.();
  const changesGroup = (mode & 0o2000) !== 0 && gid !== process.getegid?.();
  return changesUser || changesGroup;
}

/** Machines as ELF numbers them. */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
const PT_INTERP = 3;
const PT_NOTE = 4;

function elfReason(path: string, head: Uint8Array): string | undefined {
  if (head.length < 64 || head[0] !== 0x7f || head[1] !== 0x45 || head[2] !== 0x4c || head[3] !== 0x46)
    return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const little = head[5] === 1;
  if (head[4] !== 2 || view.getUint16(18, little) !== MACHINES[process.arch])
    return `${path} is for another architecture`;
  const table = Number(view.getBigUint64(32, little));
  const size = view.getUint16(54, little);
  const count = view.getUint16(56, little);
  let dynamic = false;
  for (let i = 0; i < count; i++) {
    const at = table + i * size;
    if (at + 56 > head.length) return undefined;
    const type = view.getUint32(at, little);
    if (type === PT_INTERP) dynamic = true;
    if (type === PT_NOTE && isGoNote(view, Number(view.getBigUint64(at + 8, little)), little))
      return `${path} is a Go program, which makes system calls directly`;
  }
  return dynamic ? undefined : `${path} is statically linked`;
}

/** Names of libraries stand near the start of a program. */
const NAMES_BYTES = 1 << 20;

/** A library that refuses to work unless it is loaded before all others: the address sanitizer. */
function firstLibrary(path: string): string | undefined {
  const head = headOf(path, NAMES_BYTES) ?? new Uint8Array();
  return /\0(libasan\.so\.\d+)\0/.exec(Buffer.from(head.buffer, 0, head.length).toString("latin1"))?.[1];
}

/** The linker of Go leaves a note with its name, in the first page. */
function isGoNote(view: DataView, at: number, little: boolean): boolean {
  return (
    at + 16 <= view.byteLength &&
    view.getUint32(at, little) === 4 &&
    view.getUint32(at + 12, false) === 0x476f0000
  );
}
