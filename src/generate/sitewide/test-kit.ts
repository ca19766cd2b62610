/** A live tree in memory. */
import type { LiveFiles } from "./live-files.ts";

export class MemoryFiles implements LiveFiles {
  readonly texts = new Map<string, string>();

  write(path: string, text: string): void {
    this.texts.set(path, text);
  }

  remove(path: string): void {
    for (const name of this.texts.keys())
      if (name === path || name.startsWith(`${path}/`)) this.texts.delete(name);
  }
}
