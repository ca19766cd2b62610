/** CRC-32 of zlib, PNG and Ethernet, eight bytes a turn through tables ("slicing by 8"). */

const POLYNOMIAL = 0xedb88320;
const TABLES = makeTables();

/** A native one has the same shape, so that whoever needs speed can pass it in. */
export type Crc32 = (bytes: Uint8Array, crc?: number) => number;

/** Goes on from `crc`, the value of the bytes before; 0 at the start. */
export function crc32(bytes: Uint8Array, crc = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let c = ~crc;
  let i = 0;
  for (const end = bytes.length - 7; i < end; i += 8) {
    const low =
      c ^
      ((bytes[i] as number) |
        ((bytes[i + 1] as number) << 8) |
        ((bytes[i + 2] as number) << 16) |
        ((bytes[i + 3] as number) << 24));
    c =
      (t7[low & 255] as number) ^
      (t6[(low >>> 8) & 255] as number) ^
      (t5[(low >>> 16) & 255] as number) ^
      (t4[low >>> 24] as number) ^
      (t3[bytes[i + 4] as number] as number) ^
      (t2[bytes[i + 5] as number] as number) ^
      (t1[bytes[i + 6] as number] as number) ^
      (t0[bytes[i + 7] as number] as number);
  }
  for (; i < bytes.length; i++) c = (t0[(c ^ (bytes[i] as number)) & 255] as number) ^ (c >>> 8);
  return ~c >>> 0;
}

type Tables = readonly [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

function makeTables(): Tables {
  const tables = Array.from({ length: 8 }, () => new Int32Array(256));
  const [first] = tables as unknown as Tables;
  for (let byte = 0; byte < 256; byte++) {
    let c = byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ POLYNOMIAL : c >>> 1;
    first[byte] = c;
  }
  for (let n = 1; n < 8; n++) {
    const [before, table] = [tables[n - 1] as Int32Array, tables[n] as Int32Array];
    for (let byte = 0; byte < 256; byte++) {
      const c = before[byte] as number;
      table[byte] = (c >>> 8) ^ (first[c & 255] as number);
    }
  }
  return tables as unknown as Tables;
}
