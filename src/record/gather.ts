/** Puts a trace folder in order once the program has ended: files of their true length, one clock per machine. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { bytesSource } from "../base/source.ts";
import {
  HEADER,
  HEADER_BYTES,
  isTrace,
  readHeader,
  RECORD_BYTES,
  type TraceHeader,
} from "../formats/trace/index.ts";
import { traceFiles } from "./read-folder.ts";
import { inFile } from "../base/errors.ts";

interface Gathered {
  /** Trace files with a header, in order of their names. */
  readonly files: readonly string[];
  /** Processes without a trace: for which there was no space at all, or whose file was truncated meanwhile. */
  readonly empty: number;
  /** Processes that outlive the command; their files may still grow. */
  readonly running: number;
}

interface Trace {
  readonly path: string;
  readonly header: TraceHeader;
}

export function gatherFolder(folder: string): Gathered {
  const paths = traceFiles(folder);
  const traces = paths.flatMap((path) => {
    const header = headerOf(path);
    return header === undefined ? [] : [{ path, header }];
  });
  setCommonClock(traces);
  let running = 0;
  for (const { path, header } of traces) {
    // A file that somebody has mapped must keep its length: a store beyond the end would kill the process.
    if (header.host !== hostname()) continue;
    if (isAlive(header)) running++;
    else truncate(path, header);
  }
  return { files: traces.map(({ path }) => path), empty: paths.length - traces.length, running };
}

function headerOf(path: string): TraceHeader | undefined {
  const descriptor = openSync(path, "r");
  try {
    const bytes = new Uint8Array(HEADER_BYTES);
    const got = readSync(descriptor, bytes, 0, HEADER_BYTES, 0);
    return got === HEADER_BYTES && isTrace(bytes) ? readHeader(bytesSource(bytes, path)) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Processes of one machine share its monotonic clock. Each looked for the time of day by itself and a little apart, so
 * that their times would not quite fit together: all take the offset of the one that looked most closely.
 */
function setCommonClock(traces: readonly Trace[]): void {
  const best = new Map<string, TraceHeader>();
  for (const { header } of traces) {
    const other = best.get(header.boot);
    if (other === undefined || header.startSpread < other.startSpread) best.set(header.boot, header);
  }
  for (const { path, header } of traces) {
    const offset = best.get(header.boot)?.realtimeOffset ?? header.realtimeOffset;
    if (header.boot === "" || offset === header.realtimeOffset) continue;
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setBigInt64(0, offset, header.littleEndian);
    const descriptor = openSync(path, "r+");
    try {
      inFile(path, () => writeSync(descriptor, new Uint8Array(bytes.buffer), 0, 8, HEADER.realtimeOffset));
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Whether the process of the header may still have the file mapped. */
function isAlive({ pid }: TraceHeader): boolean {
  const process_ = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  return process_ !== undefined;
}

function truncate(path: string, { count, capacity }: TraceHeader): void {
  const length = HEADER_BYTES + Math.min(count, capacity) * RECORD_BYTES;
  const descriptor = openSync(path, "r+");
  try {
    if (fstatSync(descriptor).size > length) inFile(path, () => ftruncateSync(descriptor, length));
  } finally {
    closeSync(descriptor);
  }
}
