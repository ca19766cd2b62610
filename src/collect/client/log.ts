/** Log of a prolog: a line on stderr and in a file of limited size. */
import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../node/folders.ts";
import { FILE_MODE, FOLDER_MODE } from "../files.ts";
import { appendFile } from "../../node/write-file.ts";

const BYTES_MAX = 1 << 20;

export class CollectLog {
  readonly #path: string | undefined;
  readonly #say: (line: string) => void;
  /** What went wrong so far. */
  faults = 0;

  /** `say` gets each line too. */
  constructor(dir: string | undefined, say: (line: string) => void) {
    this.#path = dir === undefined ? undefined : join(dir, "collect.log");
    this.#say = say;
  }

  fault(message: string): void {
    this.faults++;
    this.write(message);
  }

  /** Never throws: a log that cannot be written must not stop a job. */
  write(message: string): void {
    const text = message.replace(/[\x00-\x1f\x7f]+/g, " ");
    this.#say(text);
    if (this.#path === undefined) return;
    try {
      makeFolder(join(this.#path, ".."), FOLDER_MODE);
      if ((statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) > BYTES_MAX)
        renameSync(this.#path, `${this.#path}.1`);
      const line = `${new Date().toISOString()} plimsoll[${process.pid}]: ${text}\n`;
      appendFile(this.#path, line, { mode: FILE_MODE });
    } catch {
      // stderr has it.
    }
  }
}
