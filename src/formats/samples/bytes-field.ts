/** Bytes in JSON: as text where they are UTF-8, else in hexadecimal, so that none is lost. */

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();

/** The text, or undefined when the bytes are no UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** The bytes of one of the two fields; undefined when neither is there as it should be. */
export function bytesOf(text: unknown, hex: unknown): Uint8Array | undefined {
  if (typeof text === "string" && hex === undefined) return ENCODER.encode(text);
  if (typeof hex !== "string" || text !== undefined || !/^([0-9a-f]{2})*$/.test(hex)) return undefined;
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}
