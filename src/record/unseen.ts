/** What the recorder noticed of the program and could not record, from the folder of a trace. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notesOfUnseen, UNSEEN_FILE } from "../formats/trace/index.ts";
import type { CallNote } from "../model/index.ts";

/** Notes about the trace in a folder; none where there is nothing to say. */
export function unseenNotes(folder: string): CallNote[] {
  return notesOfUnseen(textIn(folder, UNSEEN_FILE) ?? "");
}

/** The text of a file in a folder; undefined when there is none. */
export function textIn(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
