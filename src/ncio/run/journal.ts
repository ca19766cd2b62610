/**
 * Measured points of a sweep: one line per point, on disk before the next one starts, so that an interrupted run can resume.
 * The first line describes the run; another run cannot resume it.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { FormatError, inFile, UsageError } from "../../base/errors.ts";
import type { NcioPoint } from "../../model/index.ts";

const KIND = "ncio-journal";

interface JournalHead {
  readonly plimsoll: typeof KIND;
  readonly version: 1;
  /** All parameters of the measurement; two runs with the same setting measure the same points. */
  readonly setting: unknown;
  readonly startedUnixMs: number;
}

interface JournalLine {
  readonly key: string;
  readonly point: NcioPoint;
}

export type PointReader = (value: unknown, source: string, where: string, line: number) => NcioPoint;

export class Journal {
  readonly startedUnixMs: number;
  readonly #points = new Map<string, NcioPoint>();
  readonly #path: string;
  readonly #file: number;

  private constructor(path: string, file: number, head: JournalHead, points: ReadonlyMap<string, NcioPoint>) {
    this.#path = path;
    this.#file = file;
    this.startedUnixMs = head.startedUnixMs;
    for (const [key, point] of points) this.#points.set(key, point);
  }

  /** Starts a journal, or resumes one of the same setting. `pointOf` checks the point of a line. */
  static open(path: string, setting: unknown, nowUnixMs: number, pointOf: PointReader): Journal {
    if (existsSync(path)) {
      const { head, points, wholeBytes } = readJournal(path, pointOf);
      if (JSON.stringify(head.setting) !== JSON.stringify(setting))
        throw new UsageError(
          `${path} belongs to a run with other options; repeat its command line to resume it, or choose another folder`,
        );
      // A truncated line is dropped; writing continues after the last complete one.
      truncateSync(path, wholeBytes);
      return new Journal(path, openSync(path, "a"), head, points);
    }
    const head: JournalHead = { plimsoll: KIND, version: 1, setting, startedUnixMs: nowUnixMs };
    const file = openSync(path, "wx");
    append(path, file, head);
    return new Journal(path, file, head, new Map());
  }

  get(key: string): NcioPoint | undefined {
    return this.#points.get(key);
  }

  add(key: string, point: NcioPoint): void {
    this.#points.set(key, point);
    append(this.#path, this.#file, { key, point } satisfies JournalLine);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function append(path: string, file: number, value: unknown): void {
  inFile(path, () => {
    writeSync(file, `${JSON.stringify(value)}\n`);
    fsyncSync(file);
  });
}

/** A truncated last line counts as not measured. */
export function readJournal(
  path: string,
  pointOf: PointReader,
): { head: JournalHead; points: Map<string, NcioPoint>; wholeBytes: number } {
  const text = readFileSync(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const [first = "", ...rest] = whole.split("\n").filter((line) => line !== "");
  const head = parse(path, 1, first) as JournalHead;
  if (head.plimsoll !== KIND || head.version !== 1 || !Number.isFinite(head.startedUnixMs))
    throw new FormatError(path, { line: 1 }, "not a journal of plimsoll ncio sweep");
  const points = new Map<string, NcioPoint>();
  rest.forEach((line, i) => {
    const { key, point } = parse(path, i + 2, line) as Partial<JournalLine>;
    if (typeof key !== "string") throw new FormatError(path, { line: i + 2 }, "a point without a key");
    points.set(key, pointOf(point, path, "point", i + 2));
  });
  return { head, points, wholeBytes: Buffer.byteLength(whole) };
}

function parse(path: string, line: number, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new FormatError(path, { line }, "not a line of a journal of plimsoll ncio sweep");
}
