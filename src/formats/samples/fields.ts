/** Fields of our own JSON, checked. */

export type Fields = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** A whole number below 2^64 that is written as text. */
export function decimal64(value: unknown): bigint | undefined {
  if (typeof value !== "string" || !/^\d{1,20}$/.test(value)) return undefined;
  const number = BigInt(value);
  return number < 1n << 64n ? number : undefined;
}

/** Nanoseconds since 1970, up to the year 2262. */
export function stampOf(value: unknown): bigint | undefined {
  const number = decimal64(value);
  return number !== undefined && number < 1n << 63n ? number : undefined;
}

/** What is wrong with the first fields of a document; undefined when it is of the kind and of a version that is known. */
export function versionFault(value: Fields, kind: string, known: number): string | undefined {
  if (value.plimsoll !== kind) return `expected {"plimsoll":"${kind}",…}`;
  const { version } = value;
  if (!Number.isSafeInteger(version) || (version as number) < 1) return "the version is missing";
  if ((version as number) > known)
    return `version ${version}; this Plimsoll reads version ${known}; update Plimsoll`;
  return undefined;
}
