// Finds the first difference between two logs in normal form.

import type { OracleLog } from "./darshan-oracle.ts";

function show(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (value instanceof Map) return `map of ${value.size}`;
  if (typeof value === "object" && value !== null) return `object with ${Object.keys(value).join(", ")}`;
  return String(value);
}

function differ(a: unknown, b: unknown, at: string): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    if (a.length !== b.length) return `${at}: ${a.length} bytes, expected ${b.length}`;
    for (let n = 0; n < a.length; n++) {
      if (a[n] !== b[n]) return `${at}, byte ${n}: ${a[n]}, expected ${b[n]}`;
    }
    return undefined;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return `${at}: ${a.length} items, expected ${b.length}`;
    for (let n = 0; n < a.length; n++) {
      if (Object.is(a[n], b[n])) continue;
      const found = differ(a[n], b[n], `${at}[${n}]`);
      if (found) return found;
    }
    return undefined;
  }
  if (a instanceof Map && b instanceof Map) {
    if (a.size !== b.size) return `${at}: ${a.size} entries, expected ${b.size}`;
    for (const [key, value] of b) {
      if (!a.has(key)) return `${at}: ${show(key)} is missing`;
      const found = differ(a.get(key), value, `${at}(${show(key)})`);
      if (found) return found;
    }
    return undefined;
  }
  if (isPlain(a) && isPlain(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      // Reals are compared by their bits, which stand next to them; names of slots are free.
      if (key === "reals" && Array.isArray(b.realBits)) continue;
      if (key === "name" && b.opaque !== undefined) continue;
      if (Object.is(a[key], b[key])) continue;
      const found = differ(a[key], b[key], at === "" ? key : `${at}.${key}`);
      if (found) return found;
    }
    return undefined;
  }
  return `${at}: ${show(a)}, expected ${show(b)}`;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map);
}

/** Undefined when equal, else a line that names the first difference. */
export function firstDifference(actual: OracleLog, expected: OracleLog): string | undefined {
  return differ(actual, expected, "");
}
