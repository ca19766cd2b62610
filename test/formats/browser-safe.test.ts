// The formats in a world without Node: bundled for a browser and run where there is no Buffer, process or require.

import { createContext, Script } from "node:vm";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { bytesSource } from "../../src/base/source.ts";
import { TextWriter } from "../../src/base/text-writer.ts";
import { writeDxt } from "../../src/formats/darshan/dxt-text.ts";
import { COMPRESSIONS } from "../../src/formats/darshan/header.ts";
import { writeParseJson } from "../../src/formats/darshan/json.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { writeParse } from "../../src/formats/darshan/text.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { everyModuleLog } from "./every-module.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

// Text shows local time, and a context has the zone of its process.
process.env.TZ = "UTC";

function bundle(entry: string): Promise<string> {
  return build({
    stdin: { contents: entry, resolveDir: root, loader: "ts", sourcefile: "entry.ts" },
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    logLevel: "silent",
  }).then((result) => result.outputFiles[0]?.text ?? "");
}

/** Reads a log in the browser's world: text, trace and JSON. `inflate` is what the host lends it. */
const ENTRY = `
import { bytesSource } from "./src/base/source.ts";
import { wholeStreamCodec } from "./src/base/codec.ts";
import { bzip2Codec } from "./src/base/bzip2/index.ts";
import { TextWriter } from "./src/base/text-writer.ts";
import * as formats from "./src/library/formats.ts";

globalThis.readLog = (given, inflate) => {
  const zlib = wholeStreamCodec(inflate, 1 << 28);
  const read = (write) => {
    const source = bytesSource(Uint8Array.from(given), "a log");
    const log = new formats.DarshanLog(source, { codecs: { zlib, bzip2: bzip2Codec } });
    let text = "";
    const out = new TextWriter((bytes) => { for (const byte of bytes) text += String.fromCharCode(byte); });
    write(log, out, (_, error) => { throw error; });
    out.flush();
    return text;
  };
  const sections = { base: true, total: true, file: true, perf: true };
  return {
    format: formats.detectFormat(bytesSource(Uint8Array.from(given), "a log"), "counters").label,
    parse: read((log, out, onDamage) => formats.writeParse(log, sections, out, onDamage)),
    json: read((log, out, onDamage) => formats.writeParseJson(log, sections, out, onDamage)),
    dxt: read(formats.writeDxt),
  };
};
`;

interface Reading {
  readonly format: string;
  readonly parse: string;
  readonly json: string;
  readonly dxt: string;
}
type ReadLog = (
  given: readonly number[],
  inflate: (input: Uint8Array) => { plain: Uint8Array; consumed: number },
) => Reading;

/** JavaScript itself, and of the host only what every browser has. */
function browserWorld(): { readonly readLog?: ReadLog } {
  return createContext({ TextDecoder, TextEncoder, performance, console }) as { readonly readLog?: ReadLog };
}

function inNode(bytes: Uint8Array): Omit<Reading, "format"> {
  const read = (write: typeof writeDxt) => {
    const log = new DarshanLog(bytesSource(bytes, "a log"), { codecs: nodeCodecs });
    const parts: Buffer[] = [];
    const out = new TextWriter((piece) => void parts.push(Buffer.from(piece)));
    write(log, out, (_, error) => {
      throw error;
    });
    out.flush();
    return Buffer.concat(parts).toString("latin1");
  };
  const sections = { base: true, total: true, file: true, perf: true };
  return {
    parse: read((log, out, onDamage) => writeParse(log, sections, out, onDamage)),
    json: read((log, out, onDamage) => writeParseJson(log, sections, out, onDamage)),
    dxt: read(writeDxt),
  };
}

function inflateOne(input: Uint8Array): { plain: Uint8Array; consumed: number } {
  const { buffer, engine } = inflateSync(Uint8Array.from(input), { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  return { plain: buffer, consumed: engine.bytesWritten };
}

describe("the formats in a browser", () => {
  let readLog: ReadLog;

  beforeAll(async () => {
    const world = browserWorld();
    new Script(await bundle(ENTRY)).runInContext(world);
    readLog = world.readLog as ReadLog;
  });

  it("would not be bundled with a module of Node", async () => {
    await expect(bundle('import { readFileSync } from "node:fs"; readFileSync("x");')).rejects.toThrow(
      /node:fs/,
    );
    await expect(bundle('export * from "./src/node/codecs.ts";')).rejects.toThrow(/node:zlib/);
  });

  it("have a world without Node to run in", () => {
    const has = new Script(
      "[typeof Buffer, typeof process, typeof require, typeof global, typeof setImmediate]",
    );
    expect([...has.runInContext(createContext({ ...browserWorld() }))]).toEqual(Array(5).fill("undefined"));
  });

  for (const compression of COMPRESSIONS) {
    it(`read every module of a log (${compression}) as Node does, byte for byte`, () => {
      for (const bigEndian of [false, true]) {
        const { bytes } = everyModuleLog(bigEndian ? 51 : 50, { compression, bigEndian, streamBytes: 2000 });
        const { format, ...reading } = readLog([...bytes], inflateOne);
        const expected = inNode(bytes);
        expect(format).toMatch(/darshan/i);
        expect(expected.parse.length).toBeGreaterThan(200_000);
        for (const key of ["parse", "json", "dxt"] as const)
          expect(reading[key] === expected[key], `${key}, big endian: ${bigEndian}`).toBe(true);
      }
    });
  }

  it("tell of damage with the place, as in Node", () => {
    const { bytes } = everyModuleLog(52, { compression: "zlib" });
    const { offset } = new DarshanLog(bytesSource(bytes, "a log"), { codecs: nodeCodecs }).header.names;
    const damaged = bytes.slice();
    damaged[offset] = 0;
    expect(() => readLog([...damaged], inflateOne)).toThrow(
      new RegExp(`^a log: byte ${offset}: name region: `),
    );
  });
});
