/**
 * One event of a DFTracer trace, from its bytes. The fields that matter are found without a string or an object for the line;
 * what is not written as the tracer writes it is left to `JSON.parse`.
 *
 *   {"id":8,"name":"fread","cat":"STDIO","pid":71,"tid":71,"ts":1727387307985825,"dur":10,"ph":"X","args":{"fhash":33084,"ret":3107,…}}
 */

/** Numbers of an event, also where the trace has them as strings. NaN when absent. */
export const Num = {
  ...{ pid: 0, tid: 1, ts: 2, dur: 3 },
  ...{ ret: 4, count: 5, size: 6, offset: 7, fd: 8, flags: 9, whence: 10, ppid: 11, cmd: 12 },
} as const;
const NUMBERS = 13;

/** Texts of an event, without their quotes; hashes are taken as texts. Empty when absent. */
export const Txt = {
  ...{ name: 0, cat: 1, ph: 2 },
  ...{ fname: 3, hostname: 4, fhash: 5, hhash: 6, argName: 7, argValue: 8, cmd: 9, exec: 10 },
} as const;
const TEXTS = 11;

const TOP: Readonly<Record<string, number>> = {
  ...{ pid: Num.pid, tid: Num.tid, ts: Num.ts, dur: Num.dur },
  ...{ name: NUMBERS + Txt.name, cat: NUMBERS + Txt.cat, ph: NUMBERS + Txt.ph },
};
const ARGS: Readonly<Record<string, number>> = {
  ...{ ret: Num.ret, count: Num.count, size: Num.size, offset: Num.offset, fd: Num.fd },
  ...{ flags: Num.flags, whence: Num.whence, ppid: Num.ppid, cmd: Num.cmd },
  ...{ fname: NUMBERS + Txt.fname, hostname: NUMBERS + Txt.hostname },
  ...{ fhash: NUMBERS + Txt.fhash, hhash: NUMBERS + Txt.hhash },
  ...{ name: NUMBERS + Txt.argName, value: NUMBERS + Txt.argValue },
  ...{ cmd_hash: NUMBERS + Txt.cmd, exec_hash: NUMBERS + Txt.exec },
};
/** What the key `args` means at the top, and a key that does not matter. */
const NESTED = -2;
const OTHER = -1;
const FREE = -3;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const OPEN = 123;
const CLOSE = 125;
const MINUS = 45;
const POINT = 46;
const LIST = 91;
const LIST_END = 93;
const NEWLINE = 10;
/** Deeper values are no event of this tracer. */
const DEPTH_MAX = 32;
/** Whole numbers up to here are exact in a double. */
const DIGITS_MAX = 15;

const SLOTS = 256;

/** Keys by a hash of their bytes; a key of another tracer with the same hash and length would be taken for it. */
class Keys {
  readonly #hashes = new Int32Array(SLOTS);
  readonly #codes = new Int32Array(SLOTS).fill(FREE);

  constructor(codes: Readonly<Record<string, number>>) {
    for (const [key, code] of Object.entries(codes)) {
      let hash = 0;
      for (const byte of new TextEncoder().encode(key)) hash = hashed(hash, byte);
      let slot = slotOf(hash);
      while (this.#codes[slot] !== FREE) slot = (slot + 1) & (SLOTS - 1);
      this.#hashes[slot] = hash;
      this.#codes[slot] = code;
    }
  }

  codeOf(hash: number): number {
    let slot = slotOf(hash);
    for (let code = 0; (code = this.#codes[slot] as number) !== FREE; slot = (slot + 1) & (SLOTS - 1))
      if (this.#hashes[slot] === hash) return code;
    return OTHER;
  }
}

const hashed = (hash: number, byte: number) => (Math.imul(hash ^ byte, 0x01000193) + 0x3c6ef372) | 0;
const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (SLOTS - 1);

const TOP_KEYS = new Keys({ ...TOP, args: NESTED });
const ARG_KEYS = new Keys(ARGS);
const LATIN = new TextDecoder("latin1");
const UTF8 = new TextDecoder();

export class TraceEvent {
  readonly numbers = new Float64Array(NUMBERS);
  /** Place of each text in `bytes`; from = to when absent. */
  readonly from = new Int32Array(TEXTS);
  readonly to = new Int32Array(TEXTS);
  bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  /** Reads the object at `at`. Returns the index after it, or -1 when it is not plain; the fields are then of no use. */
  read(bytes: Uint8Array, at: number, end: number): number {
    this.bytes = bytes;
    this.#clear();
    this.#at = at;
    return this.#object(TOP_KEYS, end) ? this.#at : -1;
  }

  /** The same from an object that `JSON.parse` made; false when it is no event. */
  take(value: unknown): boolean {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    this.#clear();
    const parts: Uint8Array[] = [];
    let used = 0;
    const fill = (source: object, codes: Readonly<Record<string, number>>) => {
      for (const [key, field] of Object.entries(source)) {
        const code = Object.hasOwn(codes, key) ? (codes[key] as number) : OTHER;
        if (code === OTHER || (typeof field !== "string" && typeof field !== "number")) continue;
        if (code < NUMBERS) this.numbers[code] = numberOf(String(field));
        else {
          const bytes = new TextEncoder().encode(JSON.stringify(String(field)).slice(1, -1));
          this.from[code - NUMBERS] = used;
          used += bytes.length;
          this.to[code - NUMBERS] = used;
          parts.push(bytes);
        }
      }
    };
    fill(value, TOP);
    const { args } = value as { args?: unknown };
    if (typeof args === "object" && args !== null) fill(args, ARGS);
    this.bytes = new Uint8Array(used);
    let at = 0;
    for (const part of parts) {
      this.bytes.set(part, at);
      at += part.length;
    }
    return true;
  }

  has(text: number): boolean {
    return (this.to[text] as number) > (this.from[text] as number);
  }

  text(text: number): string {
    return decoded(this.bytes, this.from[text] as number, this.to[text] as number);
  }

  #clear(): void {
    const { numbers, from, to } = this;
    // Calls of `fill` on so few values cost more.
    for (let i = 0; i < NUMBERS; i++) numbers[i] = Number.NaN;
    for (let i = 0; i < TEXTS; i++) {
      from[i] = 0;
      to[i] = 0;
    }
  }

  /** From the brace at `#at`; leaves `#at` behind the closing one. */
  #object(keys: Keys, end: number): boolean {
    const { bytes } = this;
    if (bytes[this.#at] !== OPEN) return false;
    let at = skipSpace(bytes, this.#at + 1, end);
    if (bytes[at] === CLOSE) {
      this.#at = at + 1;
      return true;
    }
    for (;;) {
      if (bytes[at] !== QUOTE) return false;
      let hash = 0;
      let byte = 0;
      at++;
      while (at < end && (byte = bytes[at] as number) !== QUOTE && byte !== NEWLINE) {
        hash = hashed(hash, byte);
        at++;
      }
      const code = keys.codeOf(hash);
      at = skipSpace(bytes, at + 1, end);
      if (bytes[at] !== COLON) return false;
      this.#at = skipSpace(bytes, at + 1, end);
      if (code === NESTED ? !this.#object(ARG_KEYS, end) : !this.#value(code, end)) return false;
      at = skipSpace(bytes, this.#at, end);
      const next = bytes[at];
      if (at >= end) return false;
      if (next === CLOSE) {
        this.#at = at + 1;
        return true;
      }
      if (next !== COMMA) return false;
      at = skipSpace(bytes, at + 1, end);
    }
  }

  #value(code: number, end: number): boolean {
    const { bytes } = this;
    const first = bytes[this.#at];
    if (first === QUOTE) {
      const from = this.#at + 1;
      const to = stringEnd(bytes, from, end);
      if (to < 0) return false;
      this.#at = to + 1;
      if (code === OTHER) return true;
      if (code < NUMBERS) return this.#quotedNumber(code, from, to);
      this.from[code - NUMBERS] = from;
      this.to[code - NUMBERS] = to;
      return true;
    }
    if (code >= 0 && code < NUMBERS) return this.#number(code, end);
    if (first === OPEN || first === LIST) {
      if (code !== OTHER) return false;
      this.#at = nestedEnd(bytes, this.#at, end);
      return this.#at > 0;
    }
    const from = this.#at;
    const to = wordEnd(bytes, from, end);
    if (to === from) return false;
    this.#at = to;
    if (code === OTHER) return true;
    this.from[code - NUMBERS] = from;
    this.to[code - NUMBERS] = to;
    return true;
  }

  /** Plain digits; anything else that may be a number goes through a string. */
  #number(code: number, end: number): boolean {
    const { bytes } = this;
    let at = this.#at;
    const isNegative = bytes[at] === MINUS;
    if (isNegative) at++;
    const first = at;
    let value = 0;
    let digit = 0;
    while (at < end && (digit = (bytes[at] as number) - 48) >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at++;
    }
    const next = bytes[at];
    if (at === first || at - first > DIGITS_MAX + 1 || (next !== COMMA && next !== CLOSE)) {
      const to = wordEnd(bytes, this.#at, end);
      if (to === this.#at || (next === POINT && at === first)) return false;
      this.numbers[code] = numberOf(LATIN.decode(bytes.subarray(this.#at, to)));
      this.#at = to;
      return true;
    }
    this.numbers[code] = isNegative ? -value : value;
    this.#at = at;
    return true;
  }

  #quotedNumber(code: number, from: number, to: number): boolean {
    const { bytes } = this;
    let value = 0;
    for (let at = from; at < to; at++) {
      const digit = (bytes[at] as number) - 48;
      if (digit < 0 || digit > 9 || to - from > DIGITS_MAX + 1) {
        value = numberOf(LATIN.decode(bytes.subarray(from, to)));
        break;
      }
      value = value * 10 + digit;
    }
    this.numbers[code] = to > from ? value : Number.NaN;
    return true;
  }
}

/** A text of JSON without its quotes. */
export function decoded(bytes: Uint8Array, from: number, to: number): string {
  const text = UTF8.decode(bytes.subarray(from, to));
  if (!text.includes("\\")) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** A size that C printed as unsigned and that is negative in truth is so here too. */
function numberOf(text: string): number {
  if (!/^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(text)) return Number.NaN;
  return /^\d{16,}$/.test(text) ? Number(BigInt.asIntN(64, BigInt(text))) : Number(text);
}

/** An event is on one line. */
function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  let byte = 0;
  while (at < end && (byte = bytes[at] as number) <= 32 && byte !== NEWLINE) at++;
  return at;
}

/** Index of the closing quote of a string whose text starts at `from`; -1 without one. */
function stringEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (let byte = 0; at < end; at++) {
    byte = bytes[at] as number;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
    else if (byte === NEWLINE) return -1;
  }
  return -1;
}

/** Index after a number, `true`, `false` or `null`. */
function wordEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === COMMA || byte === CLOSE || byte === LIST_END || byte <= 32 || byte === QUOTE) break;
    at++;
  }
  return at;
}

/** Index after a list or an object; -1 when it does not end. */
function nestedEnd(bytes: Uint8Array, from: number, end: number): number {
  let depth = 0;
  for (let at = from; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = stringEnd(bytes, at + 1, end);
      if (at < 0) return -1;
    } else if (byte === NEWLINE) return -1;
    else if (byte === OPEN || byte === LIST) {
      if (++depth > DEPTH_MAX) return -1;
    } else if ((byte === CLOSE || byte === LIST_END) && --depth === 0) return at + 1;
  }
  return -1;
}
