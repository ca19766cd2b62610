/**
 * The frames between clients and storage targets; docs/targets.md has the table. All numbers are little-endian.
 *
 *   request   u32 length of what follows · u32 id · u8 operation · 3 bytes of zero · u32 handle · body
 *   response  u32 length of what follows · u32 id · u16 status · u16 zero · u32 value · body
 *
 * A client may send requests before earlier ones are answered; a server answers those of a connection in order.
 */

export const MAGIC = 0x544d4c50; // "PLMT"
export const VERSION = 1;

export const HEADER_BYTES = 16;
export const TOKEN_BYTES_MAX = 256;
export const NAME_BYTES_MAX = 200;
export const ERROR_TEXT_BYTES_MAX = 400;
export const PAIR_BYTES = 12;

export const Op = {
  hello: 1,
  open: 2,
  close: 3,
  write: 4,
  read: 5,
  writeList: 6,
  readList: 7,
  writeType: 8,
  readType: 9,
  sync: 10,
  truncate: 11,
  stat: 12,
  remove: 13,
  ping: 14,
  stats: 15,
  shutdown: 16,
} as const;
export type Op = (typeof Op)[keyof typeof Op];

/** Flags of `open`. */
export const OPEN_WRITE = 1;
export const OPEN_CREATE = 2;
export const OPEN_EMPTY = 4;
export const OPEN_FLAGS = OPEN_WRITE | OPEN_CREATE | OPEN_EMPTY;

export const Status = {
  ok: 0,
  /** The request breaks the rules of the protocol. */
  malformed: 1,
  /** It exceeds a limit. */
  tooLarge: 2,
  /** The token is wrong or missing. */
  unauthorised: 3,
  version: 4,
  /** No file is open under that handle, or it was opened for reading only. */
  badHandle: 5,
  noSuchFile: 6,
  badName: 7,
  /** An offset or length that no file can have. */
  outOfRange: 8,
  /** The server's own storage failed: no space, no permission, an I/O error. */
  storage: 9,
  /** Too many connections, handles or open files. */
  tooMany: 10,
  /** The server is about to end. */
  ending: 11,
  /** An internal error of the server. */
  internal: 12,
} as const;
export type Status = (typeof Status)[keyof typeof Status];

/** NaN if it does not fit: no file has offsets beyond 2^53. */
export function readPlace(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4);
  return high > 0x1fffff ? Number.NaN : high * 2 ** 32 + bytes.readUInt32LE(at);
}

export function writePlace(bytes: Buffer, at: number, value: number): void {
  bytes.writeUInt32LE(value >>> 0, at);
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}

/** Fills in the header of a request of `length` bytes in total. */
export function requestHeader(bytes: Buffer, at: number, length: number, id: number, op: Op, handle: number) {
  bytes.writeUInt32LE(length - 4, at);
  bytes.writeUInt32LE(id, at + 4);
  bytes.writeUInt32LE(op, at + 8);
  bytes.writeUInt32LE(handle, at + 12);
}

/** Fills in the header of a response of `length` bytes in total. */
export function responseHeader(bytes: Buffer, length: number, id: number, status: Status, value: number) {
  bytes.writeUInt32LE(length - 4, 0);
  bytes.writeUInt32LE(id, 4);
  bytes.writeUInt32LE(status, 8);
  bytes.writeUInt32LE(value, 12);
}

/** Answer of a server to a hello. */
export interface ServerHello {
  readonly server: number;
  readonly servers: number;
  readonly stripBytes: number;
  /** Random, new with each start: distinguishes this process from another at the same address. */
  readonly instance: string;
  readonly limits: {
    readonly dataBytes: number;
    readonly pairs: number;
    readonly typeBytes: number;
    readonly typeDepth: number;
    readonly typePieces: number;
  };
}

/** Fixed part of a hello's answer: eight numbers and the 16 bytes of the instance. */
const HELLO_ANSWER_BYTES = 8 * 4 + 16;

export function encodeHello(hello: ServerHello): Buffer {
  const bytes = Buffer.alloc(HELLO_ANSWER_BYTES);
  const { limits } = hello;
  const numbers = [
    hello.server,
    hello.servers,
    hello.stripBytes,
    limits.dataBytes,
    limits.pairs,
    limits.typeBytes,
    limits.typeDepth,
    limits.typePieces,
  ];
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, 4 * index);
  bytes.write(hello.instance, 32, "hex");
  return bytes;
}

/** Undefined for an invalid answer. */
export function decodeHello(bytes: Buffer): ServerHello | undefined {
  if (bytes.length !== HELLO_ANSWER_BYTES) return undefined;
  const number = (index: number): number => bytes.readUInt32LE(4 * index);
  const hello = {
    server: number(0),
    servers: number(1),
    stripBytes: number(2),
    limits: {
      dataBytes: number(3),
      pairs: number(4),
      typeBytes: number(5),
      typeDepth: number(6),
      typePieces: number(7),
    },
    instance: bytes.toString("hex", 32),
  };
  const { limits } = hello;
  const sound =
    hello.server < hello.servers && hello.stripBytes > 0 && limits.dataBytes > 0 && limits.pairs > 0;
  return sound && limits.typePieces > 0 ? hello : undefined;
}

/** Answer to `stats`. */
export interface ServerStats {
  readonly pid: number;
  readonly server: number;
  readonly instance: string;
  readonly upSeconds: number;
  readonly connections: number;
  readonly openFiles: number;
  /** Requests answered, by operation; refused ones are counted separately. */
  readonly requests: Readonly<Record<string, number>>;
  readonly refused: number;
  readonly bytesWritten: number;
  readonly bytesRead: number;
  /** Calls to the local file system that moved data, after pieces were joined. */
  readonly storageWrites: number;
  readonly storageReads: number;
  readonly syncs: number;
  /** Syncs with dirty pages, and number of 4 KiB pages written. */
  readonly flushes: number;
  readonly flushedPages: number;
  /** Bytes in the server's files. */
  readonly storedBytes: number;
  readonly files: number;
  readonly joins: string;
  readonly syncMode: string;
  /** Simulated seek time in milliseconds; 0: no simulation. */
  readonly simulatedSeekMs: number;
  readonly simulatedSeeks: number;
}
