/** Folders of generated data say so in a README.txt, for files that have no place to say it themselves. */
import { closeSync, openSync, readSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** How the README.txt of generated data begins. */
const MARK = "A synthetic HPC ";

/** Whether a file lies in a folder of generated data, at any depth. Asks the file system once for each folder. */
export class SyntheticFolders {
  readonly #known = new Map<string, boolean>();
  /** Of the file before: mostly the next one lies beside it. */
  #last = { folder: "", marked: false };

  holds(path: string): boolean {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder === "" || folder !== this.#last.folder)
      this.#last = { folder, marked: this.#isMarked(dirname(resolve(path))) };
    return this.#last.marked;
  }

  #isMarked(folder: string): boolean {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const above = dirname(folder);
    const marked = beginsWithMark(join(folder, "README.txt")) || (above !== folder && this.#isMarked(above));
    // Folders of many jobs: what is forgotten is asked again.
    if (this.#known.size >= FOLDERS_KEPT) this.#known.clear();
    this.#known.set(folder, marked);
    return marked;
  }
}

const FOLDERS_KEPT = 100_000;

function beginsWithMark(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const head = Buffer.alloc(MARK.length);
    return readSync(file, head, 0, MARK.length, 0) === MARK.length && head.toString("latin1") === MARK;
  } catch {
    // Not there or not for us to read: then it says nothing.
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
