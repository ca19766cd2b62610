// Files in strips over storage targets against a plain file in memory, on random requests.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import type { FilePieces, FileRegions } from "../../src/ncio/storage.ts";
import { type Datatype, dataBytes, vector } from "../../src/ncio/pattern/index.ts";
import {
  type ClientOptions,
  connectServers,
  JOINS,
  type ServersStorage,
} from "../../src/ncio/servers/index.ts";
import {
  cut,
  expand,
  type LocalOptions,
  type LocalSet,
  localServers,
  type Piece,
  PlainFile,
  randomBytes,
  randomType,
} from "./targets-kit.ts";

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function serve(options: LocalOptions): Promise<LocalSet> {
  const set = await localServers(options);
  endings.push(() => set.stop());
  return set;
}

async function connect(set: LocalSet, options: Partial<ClientOptions> = {}): Promise<ServersStorage> {
  const storage = await connectServers({ ...set, ...options });
  endings.push(() => storage.close());
  return storage;
}

const listOf = (pieces: readonly Piece[]): FilePieces => ({
  count: pieces.length,
  offsets: Float64Array.from(pieces, ({ at }) => at),
  lengths: Float64Array.from(pieces, ({ length }) => length),
});

const SMALL = { dataBytes: 2000, pairs: 8, typePieces: 40, typeBytes: 60, typeDepth: 4 };

describe.each([
  { servers: 1, stripBytes: 512, joins: "touching", limits: SMALL },
  { servers: 3, stripBytes: 512, joins: "touching", limits: SMALL },
  { servers: 4, stripBytes: 700, joins: "none", limits: SMALL },
  { servers: 5, stripBytes: 1000, joins: "sieve", limits: {} },
  { servers: 2, stripBytes: 4096, joins: "sieve", limits: SMALL },
  { servers: 4, stripBytes: 512, joins: "touching", limits: {} },
] as const)("$servers servers, strips of $stripBytes, joins $joins, limits $limits", (options) => {
  it.each([1, 16])(
    "random requests leave what they leave in a plain file (%i under way)",
    async (outstanding) => {
      const set = await serve(options);
      const storage = await connect(set, { outstanding });
      const file = await storage.open("x", "create");
      const plain = new PlainFile();
      const random = new Random(options.servers * 1000 + outstanding);
      for (let i = 0; i < 150; i++) await randomRequest(random, file, plain, storage.listMax);
      await file.sync();
      expect(await storage.size("x")).toBe(plain.bytes.length);
      const whole = new Uint8Array(plain.bytes.length + 3000);
      await file.read(0, whole);
      expect(Buffer.compare(whole, plain.read(0, whole.length))).toBe(0);
      await file.close();
    },
  );
});

type File = Awaited<ReturnType<ServersStorage["open"]>>;

async function randomRequest(random: Random, file: File, plain: PlainFile, listMax: number): Promise<void> {
  const at = random.below(20_000);
  switch (random.below(9)) {
    case 0:
    case 1: {
      const data = randomBytes(random, random.below(2) === 0 ? random.below(20) : random.below(9000));
      await file.write(at, data);
      plain.write(at, data);
      return;
    }
    case 2: {
      const into = new Uint8Array(random.below(9000)).fill(255);
      await file.read(at, into);
      expect(Buffer.compare(into, plain.read(at, into.length))).toBe(0);
      return;
    }
    case 3:
    case 4: {
      const pieces = Array.from({ length: 1 + random.below(listMax) }, () => ({
        at: random.below(20_000),
        length: 1 + random.below(random.below(5) === 0 ? 4000 : 30),
      }));
      const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
      if (random.below(2) === 0) {
        const data = randomBytes(random, bytes);
        await file.writeList(listOf(pieces), data);
        plain.writePieces(pieces, data);
      } else {
        const into = new Uint8Array(bytes);
        await file.readList(listOf(pieces), into);
        expect(Buffer.compare(into, plain.readPieces(pieces))).toBe(0);
      }
      return;
    }
    case 5:
    case 6:
    case 7:
      return randomTyped(random, file, plain, at);
    default:
      return randomEach(random, file, plain);
  }
}

async function randomTyped(random: Random, file: File, plain: PlainFile, at: number): Promise<void> {
  const type = randomType(random);
  const skip = random.below(dataBytes(type));
  const bytes = 1 + random.below(dataBytes(type) - skip);
  const pieces = cut(expand(type, at), skip, bytes);
  if (random.below(2) === 0) {
    const data = randomBytes(random, bytes);
    await file.writeType(at, type, skip, data);
    plain.writePieces(pieces, data);
  } else {
    const into = new Uint8Array(bytes).fill(255);
    await file.readType(at, type, skip, into);
    expect(Buffer.compare(into, plain.readPieces(pieces))).toBe(0);
  }
}

async function randomEach(random: Random, file: File, plain: PlainFile): Promise<void> {
  const count = random.below(30);
  const lengths = Float64Array.from(
    { length: count },
    () => 1 + random.below(random.below(9) === 0 ? 3000 : 20),
  );
  const places = Float64Array.from({ length: count }, () => random.below(20_000));
  const memory = new Float64Array(count);
  for (let i = 1; i < count; i++)
    memory[i] = (memory[i - 1] as number) + (lengths[i - 1] as number) + random.below(9);
  const regions: FileRegions = { count, memory, file: places, lengths };
  const buffer = randomBytes(random, (memory.at(-1) ?? 0) + (lengths.at(-1) ?? 0));
  const pieces = Array.from({ length: count }, (_, i) => ({
    at: places[i] as number,
    length: lengths[i] as number,
  }));
  if (random.below(2) === 0) {
    await file.writeEach(regions, buffer);
    for (const [i, { at, length }] of pieces.entries())
      plain.write(at, buffer.subarray(memory[i], (memory[i] as number) + length));
  } else {
    await file.readEach(regions, buffer);
    for (const [i, { at, length }] of pieces.entries()) {
      const place = memory[i] as number;
      expect(Buffer.compare(buffer.subarray(place, place + length), plain.read(at, length))).toBe(0);
    }
  }
}

describe("a file over servers", () => {
  it("lies on the servers strip by strip in turn", async () => {
    const set = await serve({ servers: 3, stripBytes: 512 });
    const storage = await connect(set);
    const file = await storage.open("x", "create");
    const data = randomBytes(new Random(1), 512 * 7 + 100);
    await file.write(0, data);
    for (let server = 0; server < 3; server++) {
      const strips: Uint8Array[] = [];
      for (let at = server * 512; at < data.length; at += 3 * 512) strips.push(data.subarray(at, at + 512));
      const local = readFileSync(join(set.folder, `server-${server}`, "x"));
      expect(Buffer.compare(local, Buffer.concat(strips))).toBe(0);
    }
  });

  it("counts one request a call and one message for each server that has a part", async () => {
    const set = await serve({ servers: 4 });
    const storage = await connect(set);
    const file = await storage.open("x", "create");
    // The example of the paper's default point, with four ranks: 16384 / 256 / 16 messages.
    const type = vector(4096, 4 * 128, { kind: "bytes", length: 8 });
    const data = new Uint8Array(4096 * 8);
    await file.writeType(0, type, 0, data);
    expect(storage.counts()).toEqual({ requests: 1, messages: 4, movedBytes: 32768, syncMessages: 0 });
    for (let i = 0; i < 4096; i += 64) {
      const pieces = Array.from({ length: 64 }, (_, k) => ({ at: (i + k) * 512, length: 8 }));
      await file.writeList(listOf(pieces), data.subarray(i * 8, (i + 64) * 8));
    }
    expect(storage.counts()).toMatchObject({ requests: 65, messages: 68 });
    await file.sync();
    expect(storage.counts()).toMatchObject({ requests: 65, messages: 68, syncMessages: 4 });
    const stats = await storage.stats();
    expect(stats.map(({ requests }) => requests.writeList)).toEqual([16, 16, 16, 16]);
    expect(stats.map(({ syncs }) => syncs)).toEqual([1, 1, 1, 1]);
  });

  it("a description of a datatype does not grow with the count", async () => {
    const set = await serve({ servers: 2 });
    const storage = await connect(set);
    const file = await storage.open("x", "create");
    const type = vector(20_000, 64, { kind: "bytes", length: 8 });
    await file.writeType(0, type, 0, randomBytes(new Random(2), 160_000));
    const [first] = await storage.stats();
    expect(first?.requests.writeType).toBe(1);
    expect(storage.counts().messages).toBe(2);
  });

  it("servers make one call of pieces that touch, one for each piece when told so, fewer when they sieve", async () => {
    const calls: number[] = [];
    for (const joins of JOINS) {
      const set = await serve({ servers: 1, joins });
      const storage = await connect(set);
      const file = await storage.open("x", "create");
      // Ten pairs of pieces that touch, 100 bytes apart.
      const pieces = Array.from({ length: 20 }, (_, i) => ({ at: (i >> 1) * 100 + (i % 2) * 8, length: 8 }));
      await file.writeList(listOf(pieces), new Uint8Array(160));
      const [stats] = await storage.stats();
      calls.push(stats?.storageWrites ?? 0);
      expect(stats?.bytesWritten).toBe(160);
    }
    expect(calls).toEqual([20, 10, 1]);
  });

  it("is cut and made longer as a whole", async () => {
    const set = await serve({ servers: 3, stripBytes: 512 });
    const storage = await connect(set);
    const file = await storage.open("x", "create");
    const data = randomBytes(new Random(3), 5000);
    await file.write(0, data);
    for (const bytes of [4999, 1536, 1537, 600, 512, 511, 3, 0, 2000]) {
      await file.truncate(bytes);
      const local = [0, 1, 2].map((server) => statSync(join(set.folder, `server-${server}`, "x")).size);
      expect(local.reduce((sum, one) => sum + one, 0)).toBe(bytes);
      expect(await storage.size("x")).toBe(bytes);
    }
  });

  it("is there for others, emptied by create, gone after remove", async () => {
    const set = await serve({ servers: 2 });
    const [one, two] = [await connect(set), await connect(set)];
    await expect(one.open("x", "read")).rejects.toThrow(/server 0 at unix:.*: refused: x: no such file/);
    const file = await one.open("x", "create");
    await file.write(0, Uint8Array.of(1, 2, 3));
    const other = await two.open("x", "read");
    const into = new Uint8Array(4);
    await other.read(0, into);
    expect([...into]).toEqual([1, 2, 3, 0]);
    await expect(other.write(0, into)).rejects.toThrow(/open for reading only/);
    await (await two.open("x", "create")).close();
    await other.read(0, into);
    expect([...into]).toEqual([0, 0, 0, 0]);
    await one.remove("x");
    await one.remove("x");
    await expect(two.size("x")).rejects.toThrow(/no such file/);
  });

  it("several clients at once write parts that interleave", async () => {
    const set = await serve({ servers: 3, stripBytes: 600 });
    const clients = await Promise.all([0, 1, 2, 3].map(() => connect(set)));
    await (await clients[0]!.open("x", "create")).close();
    const plain = new PlainFile();
    const type: Datatype = vector(500, 4 * 32, { kind: "bytes", length: 8 });
    await Promise.all(
      clients.map(async (client, rank) => {
        const file = await client.open("x", "write");
        const data = randomBytes(new Random(rank), 500 * 8);
        plain.writePieces(expand(type, rank * 32), data);
        if (rank % 2 === 0) await file.writeType(rank * 32, type, 0, data);
        else
          for (const [i, { at }] of expand(type, rank * 32).entries())
            await file.write(at, data.subarray(8 * i, 8 * i + 8));
        await file.sync();
        await file.close();
      }),
    );
    const whole = new Uint8Array(plain.bytes.length);
    await (await clients[3]!.open("x", "read")).read(0, whole);
    expect(Buffer.compare(whole, plain.bytes)).toBe(0);
  });

  it("requests larger than a message are cut, whatever the strip", async () => {
    for (const stripBytes of [512, 1 << 20]) {
      const set = await serve({ servers: 2, stripBytes, limits: { dataBytes: 10_000 } });
      const storage = await connect(set);
      const file = await storage.open("x", "create");
      const data = randomBytes(new Random(4), 99_999);
      await file.write(77, data);
      const into = new Uint8Array(data.length);
      await file.read(77, into);
      expect(Buffer.compare(into, data)).toBe(0);
    }
  });

  it("a simulated disk makes jumps slow, is labelled, and leaves the rest as it is", async () => {
    const set = await serve({ servers: 1, simulateSeekMs: 5 });
    const storage = await connect(set);
    const file = await storage.open("x", "create");
    const began = performance.now();
    for (let i = 0; i < 10; i++) await file.write(1000 * i, Uint8Array.of(1));
    const jumps = performance.now() - began;
    expect(jumps).toBeGreaterThan(45);
    const [stats] = await storage.stats();
    expect(stats).toMatchObject({ simulatedSeekMs: 5, simulatedSeeks: 10 });
  });
});
