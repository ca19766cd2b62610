// Damage for any file: bits and bytes, pieces taken out, moved and doubled, odd numbers in texts, odd values in JSON.

import type { Random } from "./random.ts";

export interface Damaged {
  readonly bytes: Uint8Array;
  /** A few words on what was done. */
  readonly what: string;
}

type Damage = (bytes: Uint8Array, random: Random) => Damaged | undefined;

/** One to three kinds of damage, one after the other. Of JSON, most mutants are whole documents with odd values. */
export function damageBytes(bytes: Uint8Array, random: Random, json = false): Damaged {
  const kinds = json && random.chance(0.8) ? [oddJson] : ANY;
  const steps: string[] = [];
  let damaged: Uint8Array = Uint8Array.from(bytes);
  const many = random.between(1, 3);
  while (steps.length < many) {
    const done = random.pick(kinds)(damaged, random);
    if (done === undefined) continue;
    damaged = done.bytes;
    steps.push(done.what);
  }
  return { bytes: damaged, what: steps.join("; ") };
}

const join = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

const flipBits: Damage = (bytes, random) => {
  const count = random.between(1, 4);
  for (let n = 0; n < count && bytes.length > 0; n++) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
  }
  return { bytes, what: `${count} bits flipped` };
};

const setBytes: Damage = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.between(1, 16));
  const value = random.pick([0, 255, 32, 10, 45, 48, 57, 128]);
  bytes.fill(value, at, to);
  return { bytes, what: `bytes ${at} to ${to} set to ${value}` };
};

const cut: Damage = (bytes, random) => {
  const length = random.chance(0.2) ? Math.max(0, bytes.length - 1) : random.below(bytes.length + 1);
  return { bytes: bytes.subarray(0, length), what: `cut to ${length} bytes` };
};

const takeOut: Damage = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  const gone = random.pick([1, 1, 2, 8, 100, 1000]);
  return {
    bytes: join(bytes.subarray(0, at), bytes.subarray(at + gone)),
    what: `${gone} bytes out at ${at}`,
  };
};

const putIn: Damage = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  const junk = random.chance(0.5)
    ? random.bytes(random.between(1, 40))
    : Buffer.from(random.pick(ODD_TEXTS), "latin1");
  return {
    bytes: join(bytes.subarray(0, at), junk, bytes.subarray(at)),
    what: `${junk.length} bytes in at ${at}`,
  };
};

const double: Damage = (bytes, random) => {
  const from = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, from + random.between(1, 500));
  const at = random.below(bytes.length + 1);
  const piece = bytes.slice(from, to);
  return {
    bytes: join(bytes.subarray(0, at), piece, bytes.subarray(at)),
    what: `bytes ${from} to ${to} again at ${at}`,
  };
};

/** A 32- or 64-bit word at the edges of its type. */
const oddWord: Damage = (bytes, random) => {
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = random.below(bytes.length - 7);
  const little = random.chance(0.7);
  if (random.chance(0.5)) {
    const value = random.pick([0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 65536]);
    view.setUint32(at, value, little);
    return { bytes, what: `32-bit ${value} at ${at}` };
  }
  const value = random.pick([
    0n,
    1n,
    2n ** 31n,
    2n ** 32n,
    2n ** 53n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
  ]);
  view.setBigUint64(at, value, little);
  return { bytes, what: `64-bit ${value} at ${at}` };
};

const ODD_NUMBERS = [
  "0",
  "-1",
  "1e308",
  "1e999",
  "-0",
  "4294967296",
  "9007199254740993",
  "9223372036854775807",
].concat(
  [
    "9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999",
    "nan",
    "inf",
    "-inf",
    "1.5",
    ".",
    "",
  ],
  ["0x10", "1970-01-01T00:00:00", "9999999999999", "1700000000"],
);
const ODD_TEXTS = [
  "\n",
  "\r\n",
  "\r",
  "\0",
  "\t",
  ",",
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ":",
  "=",
  "|",
  " ",
  "\u00ff",
].concat(["\n\n\n", '"""', "\\", "\xef\xbb\xbf", "constructor", "__proto__", "%s%n", "-".repeat(300)]);

/** A number of a text becomes one at the edges of what programs expect. */
const oddNumber: Damage = (bytes, random) => {
  const text = Buffer.from(bytes).toString("latin1");
  const start = random.below(text.length + 1);
  const found = /\d+(\.\d+)?/.exec(text.slice(start, start + 2000));
  if (found === null) return undefined;
  const at = start + found.index;
  const value = random.pick(ODD_NUMBERS);
  return {
    bytes: Buffer.from(text.slice(0, at) + value + text.slice(at + found[0].length), "latin1"),
    what: `${found[0]} at ${at} replaced by "${value}"`,
  };
};

const moveLine: Damage = (bytes, random) => {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  if (lines.length < 3 || lines.length > 100_000) return undefined;
  const [line = ""] = lines.splice(random.below(lines.length), 1);
  if (random.chance(0.5)) lines.splice(random.below(lines.length), 0, line);
  return { bytes: Buffer.from(lines.join("\n"), "latin1"), what: "a line moved or gone" };
};

const ANY: readonly Damage[] = [
  flipBits,
  flipBits,
  setBytes,
  cut,
  takeOut,
  putIn,
  double,
  oddWord,
  oddNumber,
  oddNumber,
  moveLine,
];

const ODD_VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  "x",
  "0",
  true,
  [],
  {},
  [null],
  [[]],
];

/** One value of a JSON document, or of a line that is one, becomes another or is taken away. */
const oddJson: Damage = (bytes, random) => {
  const lines = Buffer.from(bytes).toString("utf8").split("\n");
  const whole = parsed(lines.join("\n"));
  const at = random.below(lines.length);
  const value = whole ?? parsed(lines[at] ?? "");
  if (value === undefined) return undefined;
  const { changed, what } = changeOne(value, random);
  const text = JSON.stringify(changed) ?? "";
  if (whole === undefined) lines[at] = text;
  return { bytes: Buffer.from(whole === undefined ? lines.join("\n") : `${text}\n`), what };
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function changeOne(value: unknown, random: Random): { changed: unknown; what: string } {
  const places: { of: Record<string, unknown>; key: string; path: string }[] = [];
  const visit = (one: unknown, path: string): void => {
    if (typeof one !== "object" || one === null) return;
    for (const [key, inner] of Object.entries(one)) {
      const name = `${path}.${key}`;
      places.push({ of: one as Record<string, unknown>, key, path: name });
      visit(inner, name);
    }
  };
  visit(value, "");
  if (places.length === 0 || random.chance(0.02)) {
    const changed = random.pick(ODD_VALUES);
    return { changed, what: `the document is ${JSON.stringify(changed)}` };
  }
  // Many values lie deep, few near the top, where more depends on each.
  const near = places.filter(({ path }) => path.split(".").length <= 3);
  const { of, key, path } = random.pick(near.length > 0 && random.chance(0.5) ? near : places);
  if (random.chance(0.3)) {
    delete of[key];
    return { changed: value, what: `without ${path}` };
  }
  of[key] = random.pick(ODD_VALUES);
  return { changed: value, what: `${path} is ${JSON.stringify(of[key])}` };
}
