/**
 * Finished pieces of each process, one per line, so that an interrupted write can continue. A line counts only if its checksum
 * matches; its data is read again before use.
 */
import { assert } from "../../../base/assert.ts";
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "../../../node/crc32.ts";
import type { PieceEntry } from "../piece/piece-info.ts";
import { inFile } from "../../../base/errors.ts";

const PREFIX = "journal.";

export class Journal {
  readonly #path: string;
  readonly #descriptor: number;

  constructor(folder: string, attempt: string, host: number) {
    this.#path = join(folder, `${PREFIX}${attempt}.${host}`);
    this.#descriptor = openSync(this.#path, "ax");
  }

  add(piece: PieceEntry): void {
    assert(piece.to > piece.from && piece.info.sums.length > 0, "a recorded piece has data and checksums");
    const line = lineOf(piece);
    inFile(this.#path, () => writeSync(this.#descriptor, line));
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

const base64 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

function lineOf({ from, to, path, target, info }: PieceEntry): string {
  const sums = new Uint8Array(info.sums.buffer, info.sums.byteOffset, info.sums.byteLength);
  const text = JSON.stringify([from, to, target, path, info.group, base64(sums), base64(info.statistics)]);
  return `${crc32(Buffer.from(text)).toString(16).padStart(8, "0")} ${text}\n`;
}

function pieceOf(line: string): PieceEntry | undefined {
  const text = line.slice(9);
  if (crc32(Buffer.from(text)).toString(16).padStart(8, "0") !== line.slice(0, 8)) return undefined;
  const [from, to, target, path, group, sums, statistics] = JSON.parse(text) as [
    number,
    number,
    number,
    string,
    number,
    string,
    string,
  ];
  const bytes = Uint8Array.from(Buffer.from(sums, "base64"));
  return {
    from,
    to,
    target,
    path,
    info: {
      // Set when the piece is read again.
      identity: "",
      group,
      sums: new Uint32Array(bytes.buffer),
      statistics: Uint8Array.from(Buffer.from(statistics, "base64")),
    },
  };
}

/** All pieces in the journals of the folder; truncated lines are skipped. */
export function readJournals(folder: string): PieceEntry[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(PREFIX));
  return names.sort().flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .flatMap((line) => (line.length > 9 ? (pieceOf(line) ?? []) : [])),
  );
}

export const journalNames = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith(PREFIX));
