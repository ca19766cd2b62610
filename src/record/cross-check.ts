/** Bytes that the kernel counts and no call shows: from programs that the recorder cannot be loaded into, and from calls made past the C library. */
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import {
  HEADER_BYTES,
  RECORD_BYTES,
  TRACE_SANDBOX,
  type TraceCounts,
  UNSEEN_FILE,
} from "../formats/trace/index.ts";
import { writeFile } from "../node/write-file.ts";
import type { KernelIo } from "./kernel-io.ts";

export const TOTALS_FILE = "totals";
export const TOTALS_BYTES = 4096;

/** What every start of a program reads before and beside its own calls: headers, libraries, locales, name services. */
const START_BYTES = 32 * 1024;
/** Less is not worth a word. */
const LEAST_BYTES = 64 * 1024;
const LEAST_SHARE = 0.01;
/** Devices also read ahead and write file system structures. */
const DEVICE_LEAST_BYTES = 2 ** 20;
const DEVICE_SHARE = 0.1;
/** A call may touch a page at either end, and blocks of the file system beside. */
const CALL_DEVICE_BYTES = 16 * 1024;

/** Space of a trace as the recorder takes it: at once, and piece by piece; two pieces ahead before a sandbox. */
const FIRST_SPACE_BYTES = 128 * 1024;
const SPACE_BYTES = 2 * 2 ** 20;
const SANDBOX_SPACE_BYTES = 2 * SPACE_BYTES;
/** What statfs says of a file system in memory. */
const IN_MEMORY = 0x01021994;

interface Unseen {
  readonly readBytes: number;
  readonly writtenBytes: number;
}

/** Adds to the list of what was not seen where there are such bytes. */
export function checkAgainstKernel(
  folder: string,
  program: string,
  kernel: KernelIo,
  facts: readonly TraceCounts[],
): void {
  const totals = totalsOf(folder);
  // Calls of the C library are no system calls, so their bytes cannot be compared.
  if (totals === undefined || facts.some(({ counts }) => counts.streamCalls > 0)) return;
  const lines: string[] = [];
  const calls = unseenByCalls(kernel, facts, totals);
  if (calls !== undefined) lines.push(`bytes\t${program}\t${calls.readBytes} ${calls.writtenBytes}\n`);
  const path = join(folder, UNSEEN_FILE);
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const isBeyondCalls = facts.some(({ counts }) => counts.maps > 0) || /^io_uring\t/m.test(before);
  const ownBytes = isInMemory(folder) ? 0 : spaceOf(facts);
  const deviceWrittenBytes = Math.max(0, kernel.deviceWrittenBytes - ownBytes);
  const device = unseenByDevices({ ...kernel, deviceWrittenBytes }, facts, totals, isBeyondCalls);
  if (device !== undefined) lines.push(`devices\t${program}\t${device.readBytes} ${device.writtenBytes}\n`);
  if (lines.length === 0) return;
  writeFile(path, before + lines.join(""));
}

/** Records are stored in mapped files too, and the kernel counts their pages as written by the program. */
const spaceOf = (facts: readonly TraceCounts[]) =>
  facts.reduce((total, { header: { count, flags } }) => {
    const used = HEADER_BYTES + count * RECORD_BYTES;
    const pieces = used > FIRST_SPACE_BYTES ? Math.ceil(used / SPACE_BYTES) : 0;
    const ahead = (flags & TRACE_SANDBOX) === 0 ? 0 : SANDBOX_SPACE_BYTES;
    return total + FIRST_SPACE_BYTES + pieces * SPACE_BYTES + ahead;
  }, 0);

function isInMemory(folder: string): boolean {
  try {
    return statfsSync(folder).type === IN_MEMORY;
  } catch {
    return false;
  }
}

interface Totals extends Unseen {
  /** Program images that ended or became another. */
  readonly starts: number;
}

function totalsOf(folder: string): Totals | undefined {
  try {
    const bytes = readFileSync(join(folder, TOTALS_FILE));
    const at = (word: number) => Number(new BigUint64Array(bytes.buffer, bytes.byteOffset, 3)[word]);
    return { readBytes: at(0), writtenBytes: at(1), starts: at(2) };
  } catch {
    return undefined;
  }
}

const sum = (facts: readonly TraceCounts[], of: (counts: TraceCounts["counts"]) => number) =>
  facts.reduce((total, { counts }) => total + of(counts), 0);

function unseenByCalls(kernel: KernelIo, facts: readonly TraceCounts[], totals: Totals): Unseen | undefined {
  const started = (totals.starts + 1) * START_BYTES;
  const read = kernel.readBytes - totals.readBytes - sum(facts, ({ seenRead }) => seenRead) - started;
  const written = kernel.writtenBytes - totals.writtenBytes - sum(facts, ({ seenWritten }) => seenWritten);
  const readBytes = read > Math.max(LEAST_BYTES, LEAST_SHARE * kernel.readBytes) ? read : 0;
  const writtenBytes = written > Math.max(LEAST_BYTES, LEAST_SHARE * kernel.writtenBytes) ? written : 0;
  return readBytes + writtenBytes > 0 ? { readBytes, writtenBytes } : undefined;
}

/**
 * Where something is known to move bytes beyond the calls, whatever devices moved more. Elsewhere only written bytes that
 * all calls together cannot have made: programs are read by mapping them, but nothing is written so.
 */
function unseenByDevices(
  kernel: KernelIo,
  facts: readonly TraceCounts[],
  totals: Totals,
  isBeyondCalls: boolean,
): Unseen | undefined {
  const beyond = (device: number, seen: number, more: number) =>
    device - seen > Math.max(DEVICE_LEAST_BYTES, DEVICE_SHARE * seen) + more ? device - seen : 0;
  const records = facts.reduce((all, { header }) => all + header.count, 0);
  const movedWritten = sum(facts, (counts) => counts.movedWritten);
  const counted = sum(facts, (counts) => counts.seenWritten) + totals.writtenBytes;
  const unseenWritten = Math.max(0, kernel.writtenBytes - counted);
  const movedRead = sum(facts, (counts) => counts.movedRead);
  const readBytes = isBeyondCalls ? beyond(kernel.deviceReadBytes, movedRead, 0) : 0;
  // What calls past the recorder wrote has a line of its own.
  const writtenBytes = isBeyondCalls
    ? beyond(kernel.deviceWrittenBytes, movedWritten, 0)
    : beyond(
        kernel.deviceWrittenBytes,
        movedWritten + totals.writtenBytes + unseenWritten,
        CALL_DEVICE_BYTES * records,
      );
  return readBytes + writtenBytes > 0 ? { readBytes, writtenBytes } : undefined;
}
