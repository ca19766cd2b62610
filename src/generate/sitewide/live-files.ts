/** Where the files of a live tree go: a folder in which no file is ever seen half-written. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inFile } from "../../base/errors.ts";

export interface LiveFiles {
  write(path: string, text: string): void;
  /** A file, or a folder with all that is in it. */
  remove(path: string): void;
}

/** Each file is written beside the tree and then takes the place of the one before. */
export class FolderFiles implements LiveFiles {
  readonly #root: string;
  readonly #known = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  write(path: string, text: string): void {
    const to = join(this.#root, path);
    const folder = dirname(to);
    if (!this.#known.has(folder)) {
      mkdirSync(folder, { recursive: true });
      this.#known.add(folder);
    }
    const part = join(this.#root, ".part");
    inFile(to, () => writeFileSync(part, text));
    renameSync(part, to);
  }

  remove(path: string): void {
    const gone = join(this.#root, path);
    rmSync(gone, { recursive: true, force: true });
    for (const folder of this.#known)
      if (folder === gone || folder.startsWith(`${gone}/`)) this.#known.delete(folder);
  }
}
