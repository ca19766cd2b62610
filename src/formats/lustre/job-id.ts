/** Job ids as servers print them: plain bytes up to 2.15.1, escaped and in quotes since. */

const UTF8 = new TextDecoder("utf-8", { fatal: true });
const QUOTE = 34;
const BACKSLASH = 92;

/** The bytes of the id: quotes dropped and `\xHH` turned into its byte when it is in quotes, else as they are. */
export function unescapeJobId(raw: Uint8Array): Uint8Array {
  const end = raw.length - 1;
  if (end < 1 || raw[0] !== QUOTE || raw[end] !== QUOTE) return raw;
  const plain = new Uint8Array(end - 1);
  let length = 0;
  for (let at = 1; at < end; at++) {
    // The closing quote is no part of an escape.
    const code = raw[at] === BACKSLASH && at + 3 < end ? escapedByte(raw, at) : -1;
    if (code >= 0) at += 3;
    plain[length++] = code >= 0 ? code : (raw[at] as number);
  }
  return plain.subarray(0, length);
}

function escapedByte(raw: Uint8Array, at: number): number {
  if (raw[at + 1] !== 120) return -1;
  const high = hexDigit(raw[at + 2] as number);
  const low = hexDigit(raw[at + 3] as number);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** An id for people and keys: UTF-8 where it is that, else Latin-1. */
export function decodeJobId(raw: Uint8Array): string {
  const plain = unescapeJobId(raw);
  try {
    return UTF8.decode(plain);
  } catch {
    return latinText(plain);
  }
}

/** Every byte as the character of that number. (`TextDecoder("latin1")` is windows-1252.) */
export function latinText(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i] as number);
  return text;
}
