/**
 * Requests of libaio: `io_submit` lists them, `io_getevents` says what came back. strace does not print which request
 * an event belongs to, so they are paired in order. The union of times, their sum, bytes and counts do not depend on
 * the pairing; which access was slow, and on which file, may be another one.
 *
 *   io_submit(ctx, n, [{aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=6</path>, aio_nbytes=4096, aio_offset=0}, …]) = n
 *   io_getevents(ctx, min, n, [{data=0, obj=0x…, res=4096, res2=0}, …], timeout) = n
 */
import { Cursor } from "./cursor.ts";

interface Request {
  readonly write: boolean;
  readonly isAccess: boolean;
  readonly descriptor: number;
  readonly nameFrom: number;
  readonly nameTo: number;
  readonly bytes: number;
  readonly offset: number;
}

const TEXT = new TextDecoder();

/** The context, which is the first argument. Moves behind it. */
export function readContext(cursor: Cursor): string {
  const from = cursor.at;
  cursor.skip();
  return TEXT.decode(cursor.bytes.subarray(from, cursor.at));
}

/** The requests of the list at the cursor. */
export function readRequests(cursor: Cursor): Request[] {
  const requests: Request[] = [];
  eachObject(cursor, (inner) => {
    let opcode = "";
    let descriptor = Number.NaN;
    let nameFrom = 0;
    let nameTo = 0;
    let bytes = Number.NaN;
    let offset = Number.NaN;
    eachKey(inner, (key) => {
      if (key === "aio_lio_opcode") opcode = readContext(inner);
      else if (key === "aio_nbytes") bytes = inner.number();
      else if (key === "aio_offset") offset = inner.number();
      else if (key === "aio_buf" && opcode.endsWith("V")) bytes = inner.vectorBytes();
      else if (key === "aio_fildes") {
        descriptor = inner.descriptor();
        ({ nameFrom, nameTo } = inner);
      }
    });
    const write = opcode.includes("PWRITE");
    requests.push({
      write,
      isAccess: write || opcode.includes("PREAD"),
      descriptor,
      nameFrom,
      nameTo,
      bytes,
      offset,
    });
  });
  return requests;
}

/** The results of the events at the cursor: bytes moved, or a negative error. */
export function readEvents(cursor: Cursor): number[] {
  const results: number[] = [];
  eachObject(cursor, (inner) => {
    let result = Number.NaN;
    eachKey(inner, (key) => {
      if (key === "res") result = inner.number();
    });
    results.push(result);
  });
  return results;
}

/** Calls `use` inside each `{…}` of the list `[…]` here, and moves behind the list. */
function eachObject(cursor: Cursor, use: (inner: Cursor) => void): void {
  if (!cursor.is("[")) return;
  const inner = new Cursor();
  inner.set(cursor.bytes, cursor.at + 1, cursor.end);
  cursor.skip();
  while (inner.is("{")) {
    inner.at++;
    use(inner);
    if (!inner.is("}")) return;
    inner.at++;
    if (!inner.next()) return;
  }
}

/** Calls `use` with each key of `key=value, …`, the cursor at the value. */
function eachKey(cursor: Cursor, use: (key: string) => void): void {
  do {
    const from = cursor.at;
    while (cursor.at < cursor.end && isKeyByte(cursor.bytes[cursor.at] as number)) cursor.at++;
    if (!cursor.is("=")) {
      cursor.skip();
      return;
    }
    const key = TEXT.decode(cursor.bytes.subarray(from, cursor.at));
    cursor.at++;
    use(key);
  } while (cursor.next());
}

const isKeyByte = (byte: number) => (byte >= 97 && byte <= 122) || byte === 95 || (byte >= 48 && byte <= 57);
