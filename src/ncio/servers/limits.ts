/** Limits of one request. Servers enforce them and send them to clients, which split their requests accordingly. */
export interface Limits {
  /** Bytes of data in one request or response. */
  readonly dataBytes: number;
  /** Pairs of offset and length in one list request. */
  readonly pairs: number;
  /** Bytes of an encoded datatype. */
  readonly typeBytes: number;
  /** Nesting depth of datatypes. */
  readonly typeDepth: number;
  /** Pieces of one datatype request over all servers. */
  readonly typePieces: number;
}

/** 64 pairs as in the paper on NCIO (Ching and others, 2006). */
export const DEFAULT_LIMITS: Limits = {
  dataBytes: 4 << 20,
  pairs: 64,
  typeBytes: 64 << 10,
  typeDepth: 16,
  typePieces: 4 << 20,
};

/** The strip of PVFS2 in that paper. */
export const DEFAULT_STRIP_BYTES = 64 << 10;
export const STRIP_BYTES_MIN = 512;
export const STRIP_BYTES_MAX = 1 << 30;
export const SERVERS_MAX = 1024;
/** A pair needs 12 bytes; more would not fit into a frame with small data. */
export const PAIRS_MAX = 65_536;

export const CONNECTIONS_MAX = 512;
/** Max of these without a hello; the oldest is dropped for a new one. */
export const UNKNOWN_MAX = 64;
export const HANDLES_MAX = 256;
export const OPEN_FILES_MAX = 512;
/** A connection without a hello after this time is closed. */
export const HELLO_MS = 5000;
/** Responses waiting for a client that does not read; beyond this its requests wait too. */
export const WAITING_BYTES_MAX = 8 << 20;
/** The same for all clients together: beyond this, clients that do not take their responses are not served, and no data is read. */
export const WAITING_ALL_BYTES_MAX = 64 << 20;
/** Approximate overhead of a response. */
export const RESPONSE_BYTES = 256;

/** Time that a server waits for its clients. */
export interface Patience {
  /** For a client that does not take its responses, or does not continue a request. */
  readonly stalledMs: number;
  /** The same while it blocks others. */
  readonly blockingMs: number;
  readonly lookMs: number;
}

export const PATIENCE: Patience = { stalledMs: 30_000, blockingMs: 5000, lookMs: 1000 };

/** The largest frame before a hello: a hello with the longest token. */
export const HELLO_FRAME_BYTES = 512;

/** The largest frame after that, without its length field: header, description and data. */
export function frameBytesMax({ dataBytes, pairs, typeBytes }: Limits): number {
  return 64 + dataBytes + Math.max(12 * pairs, typeBytes, 4096);
}
