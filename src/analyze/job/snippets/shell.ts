/** Paths in shell commands that people copy and run: only those that a command may act on. */
import { shellWord } from "../../../base/command-line.ts";

/** Stands in a command where the log names nothing that may stand there. */
type Placeholder = "DIR" | "FILE";

/**
 * A path as object of a command: quoted, or the placeholder when it is no path that a command may change or copy: `/`, a
 * mount point, a directory of the system, a name that was never recorded or was made unrecognisable.
 */
export function shellPath(path: string, placeholder: Placeholder, mounts: ReadonlySet<string>): string {
  const plain = normalized(path);
  if (plain === undefined || isSystem(plain) || isAnonymous(plain, mounts)) return placeholder;
  for (const mount of mounts) if (normalized(mount) === plain) return placeholder;
  return shellWord(plain);
}

/** Without `.`, `..` and double slashes; undefined when it is not absolute, since nobody knows from where it counts. */
function normalized(path: string): string | undefined {
  if (!path.startsWith("/") || path.includes("\0")) return undefined;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Directories below the root are mount points or belong to the system; `/dev/shm` is memory for all. */
const isSystem = (path: string) =>
  /^\/[^/]*$|^\/(bin|boot|dev|etc|lib|lib32|lib64|proc|run|sbin|sys|usr)(\/|$)/.test(path) &&
  !/^\/(dev\/shm|run\/user\/[0-9]+)\/./.test(path);

/** `(record 123)`, `<STDOUT>`, or names that are numbers or hashes only, as anonymised logs have them. */
function isAnonymous(path: string, mounts: ReadonlySet<string>): boolean {
  if (path.split("/").some((part) => /^\((record .*|files not named)\)$|^<.*>$/.test(part) || isHash(part)))
    return true;
  return partsBelowMount(path, mounts).every(isNumberOrHex);
}

/** Mount points keep their names in anonymised logs; so does, for all that is known, the first part of a path. */
function partsBelowMount(path: string, mounts: ReadonlySet<string>): string[] {
  let mountLength = 0;
  for (const mount of mounts) {
    const plain = normalized(mount) ?? "/";
    if (path.startsWith(`${plain}/`)) mountLength = Math.max(mountLength, plain.length);
  }
  const parts = path.slice(mountLength).split("/").filter(Boolean);
  return mountLength > 0 ? parts : parts.slice(1);
}

/** 16 or more hexadecimal digits, a UUID, or a number that is longer than that of a job. */
function isHash(part: string): boolean {
  const name = part.replace(/\.\w{1,8}$/, "");
  if (/^[0-9]{9,}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)) return true;
  return /^[0-9a-f]{16,}$/i.test(name) && (/[0-9]/.test(name) || name.length >= 32);
}

const isNumberOrHex = (part: string) => /^([0-9]+|[0-9a-f]{6,})(\.\w{1,8})?$/i.test(part);

/** Directory of an absolute path. */
const folderOf = (path: string) => path.slice(0, Math.max(1, path.lastIndexOf("/")));

const REMARKS: Readonly<Record<Placeholder, string>> = {
  DIR: "# DIR: fill in the directory; the log names none that a command should act on",
  FILE: "# FILE: fill in the path of the file; the log does not name it",
};

/** Paths of one snippet, and what to say of the placeholders among them. */
export class ShellPaths {
  readonly #mounts: ReadonlySet<string>;
  readonly #used = new Set<Placeholder>();

  constructor(mounts: ReadonlySet<string>) {
    this.#mounts = mounts;
  }

  file(path: string): string {
    return this.#noted(shellPath(path, "FILE", this.#mounts), "FILE");
  }

  /** Of the directory that a file lies in. */
  folder(path: string): string {
    const unknown = !path.startsWith("/") || isAnonymous(path, this.#mounts);
    return this.#noted(unknown ? "DIR" : shellPath(folderOf(path), "DIR", this.#mounts), "DIR");
  }

  /** Comments that begin the snippet. */
  remarks(): string[] {
    return [...this.#used].map((placeholder) => REMARKS[placeholder]);
  }

  #noted(word: string, placeholder: Placeholder): string {
    if (word === placeholder) this.#used.add(placeholder);
    return word;
  }
}
