/** Processes and files of a collection, numbered across inputs. */
import type { CallFile, CallProcess } from "../../model/index.ts";

export interface CollectedProcess extends CallProcess {
  /** Index of the input. */
  readonly input: number;
}

interface CollectedFile {
  readonly path: string;
  /** Whether the options let its accesses in. */
  readonly allowed: boolean;
}

export class Entities {
  readonly processes: CollectedProcess[] = [];
  readonly files: CollectedFile[] = [];
  readonly #processOf = new Map<string, number>();
  readonly #fileOf = new Map<string, number>();
  readonly #allows: (path: string) => boolean;

  constructor(allows: (path: string) => boolean) {
    this.#allows = allows;
  }

  pidOf(process: number): number {
    return this.processes[process]?.pid ?? 0;
  }

  allows(file: number): boolean {
    return this.files[file]?.allowed === true;
  }

  process(input: number, process: CallProcess): number {
    const { pid, rank, host, program } = process;
    const key = JSON.stringify([input, pid, rank ?? null, host ?? null, program ?? null]);
    let found = this.#processOf.get(key);
    if (found === undefined) {
      this.#processOf.set(key, (found = this.processes.length));
      this.processes.push({ ...process, input });
    }
    return found;
  }

  /** The same path is the same file in all inputs; where files have no name, those of an input are one. */
  file(input: number, { path }: CallFile): number {
    const key = path === "" ? `${input}` : `/${path}`;
    let found = this.#fileOf.get(key);
    if (found === undefined) {
      this.#fileOf.set(key, (found = this.files.length));
      this.files.push({ path, allowed: this.#allows(path) });
    }
    return found;
  }
}

/** `dd 4242`, `rank 3 (ior 77) on n1`. */
export function processName({ pid, rank, host, program }: CallProcess): string {
  const own = program === undefined || program === "" ? String(pid) : `${program} ${pid}`;
  const named = rank === undefined ? own : `rank ${rank} (${own})`;
  return host === undefined || host === "" ? named : `${named} on ${host}`;
}
