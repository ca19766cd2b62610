/** What reading a job needs of the machine it runs on: Node (src/inputs/node.ts) or a page in a browser (web/page). */
import type { CallSink } from "../../model/index.ts";
import type { LogHost } from "../log/index.ts";

export interface InputHost extends LogHost {
  /** Paths of the files in a folder, in order; undefined when the path is no folder. Throws when there is nothing. */
  list(path: string): readonly string[] | undefined;
  /** Paths of the files in folders below it, in order; folders behind links are not entered. */
  below(path: string): readonly string[];
  /** The text of a file in a folder; undefined when there is none. */
  textIn(folder: string, name: string): string | undefined;
  /** What tells apart the files that paths lead to. */
  identity(path: string): string;
  /** False for what can be read only once. */
  isFile(path: string): boolean;
  /** A SHA-256 in the making. */
  hash(): { update(bytes: Uint8Array): unknown; hex(): string };
  /** Reads what only a database can; absent where there is none. */
  readTable?(
    path: string,
    sink: CallSink,
    memoryBytes: number,
    yieldToEvents: () => Promise<void>,
  ): Promise<void>;
}
