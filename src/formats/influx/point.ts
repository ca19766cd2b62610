/** A point of InfluxDB, whatever text it came from. */
export interface InfluxPoint {
  readonly measurement: string;
  readonly tags: ReadonlyMap<string, string>;
  /** As written: `4096i`, `4096u`, `4096`, `1.5`, `"text"`. */
  readonly fields: ReadonlyMap<string, string>;
  readonly timeNs: bigint;
}

/** The whole number of a field; undefined for fractions, text and what does not fit 64 bits. */
export function fieldInteger(text: string): bigint | undefined {
  const match = /^(-?\d{1,20})[iu]?$/.exec(text) ?? /^(-?\d{1,20})\.0*$/.exec(text);
  if (match === null) return exponentInteger(text);
  const value = BigInt(match[1] ?? "");
  return value >= -(2n ** 63n) && value < 2n ** 64n ? value : undefined;
}

function exponentInteger(text: string): bigint | undefined {
  if (!/^-?\d+(\.\d+)?e[+-]?\d+$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

/** Nanoseconds since 1970 of an integer or of RFC 3339 (`2018-06-07T00:01:00.123456789Z`); undefined for others. */
export function timeNs(text: string): bigint | undefined {
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text);
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  if (match === null) return undefined;
  const ms = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(ms)) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}
