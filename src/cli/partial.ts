/** Files and folders that are being written. What is not done when the command fails or is stopped goes away. */

import { rmSync } from "node:fs";
import { resolve, sep } from "node:path";

export interface PartialOutput {
  readonly path: string;
  /** It is complete: keep it. */
  done(): void;
}

export class PartialOutputs {
  readonly #open = new Set<string>();

  add(path: string): PartialOutput {
    const full = resolve(path);
    this.#open.add(full);
    return { path, done: () => void this.#open.delete(full) };
  }

  /** True if the path is an output that is being written, or lies in one. */
  includes(path: string): boolean {
    const full = resolve(path);
    return [...this.#open].some((open) => full === open || full.startsWith(open + sep));
  }

  remove(): void {
    for (const path of this.#open) {
      try {
        rmSync(path, { recursive: true, force: true });
      } catch {
        // The error that brought us here is the one to report.
      }
    }
    this.#open.clear();
  }
}
