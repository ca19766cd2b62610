// What a server does with requests that are wrong: it says so, lives on, and other clients notice nothing.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { encodeDatatype, vector } from "../../src/ncio/pattern/index.ts";
import { connectServers } from "../../src/ncio/servers/index.ts";
import { nameFault } from "../../src/ncio/servers/names.ts";
import { Op, Status } from "../../src/ncio/servers/wire.ts";
import { testSeed } from "../seed.ts";
import { type LocalSet, localServers, randomBytes } from "./targets-kit.ts";
import { endAll, endings, frame, hello, known, open, pair, place, RawClient, u32 } from "./targets-raw.ts";

afterEach(endAll);

const LIMITS = { dataBytes: 4096, pairs: 8, typeBytes: 64, typeDepth: 4, typePieces: 100 };

async function serve(): Promise<LocalSet> {
  const set = await localServers({ servers: 1, stripBytes: 1024, limits: LIMITS });
  endings.push(() => set.stop());
  return set;
}

/** The server still does what it should for somebody else. */
async function serves(set: LocalSet): Promise<void> {
  const storage = await connectServers(set);
  const file = await storage.open("good", "create");
  await file.write(5, Uint8Array.of(1, 2, 3));
  const into = new Uint8Array(3);
  await file.read(5, into);
  expect([...into]).toEqual([1, 2, 3]);
  await storage.close();
}

describe("a client that is not known", () => {
  it.each([
    ["a wrong token", Op.hello, hello("wrong"), Status.unauthorised, /wrong token/],
    ["an empty token", Op.hello, hello(""), Status.unauthorised, /wrong token/],
    [
      "another version",
      Op.hello,
      hello("a token of the test", 99),
      Status.version,
      /version 99, this server speaks 1/,
    ],
    ["another protocol", Op.hello, hello("a token of the test", 1, 0x20544547), Status.malformed, /no hello/],
    [
      "a token shorter than it says",
      Op.hello,
      hello("abc").subarray(0, 10),
      Status.malformed,
      /wrong token length/,
    ],
    ["no hello", Op.stats, new Uint8Array(0), Status.unauthorised, /first request is a hello/],
  ])("with %s is told so and sent away", async (_, op, body, status, text) => {
    const set = await serve();
    const client = new RawClient(set);
    const answer = await client.ask(op, 0, body);
    expect(answer).toMatchObject({ status });
    expect(answer?.text).toMatch(text);
    await client.ended();
    await serves(set);
  });

  it("gets one clear error from the client", async () => {
    const set = await serve();
    await expect(connectServers({ ...set, token: "wrong" })).rejects.toThrow(
      /^server 0 at unix:.*: refused: wrong token$/,
    );
    await expect(connectServers({ ...set, addresses: ["unix:/nowhere/x.sock"] })).rejects.toThrow(
      /no such socket/,
    );
    await expect(connectServers({ ...set, addresses: ["tcp:127.0.0.1:1"] })).rejects.toThrow(
      /is not running/,
    );
    await expect(connectServers({ ...set, addresses: ["127.0.0.1"] })).rejects.toThrow(
      /expected unix:PATH or tcp/,
    );
    await expect(connectServers({ ...set, addresses: [] })).rejects.toThrow(/no server address/);
    const twice = [...set.addresses, ...set.addresses];
    await expect(connectServers({ ...set, addresses: twice })).rejects.toThrow(
      /is server 0 of 1 .* not server 0 of 2/,
    );
  });
});

describe("a request that is wrong", () => {
  const type = encodeDatatype(vector(4, 16, { kind: "bytes", length: 8 }));
  const typed = (start: number, skip: number, range: number, encoded: Uint8Array, data = 0): Buffer =>
    Buffer.concat([place(start), place(skip), u32(range, encoded.length), encoded, new Uint8Array(data)]);
  const deep = encodeDatatype(
    [1, 2, 3, 4].reduce((of) => vector(2, 100, of), vector(1, 1, { kind: "bytes", length: 1 })),
  );

  it.each<[string, number, number, Uint8Array, number, RegExp]>([
    [
      "no such handle",
      Op.write,
      9,
      Buffer.concat([place(0), u32(1)]),
      Status.badHandle,
      /no file is open as 9/,
    ],
    ["a write without data", Op.write, 1, place(0), Status.malformed, /expected 9 or more/],
    [
      "a write beyond 2^53",
      Op.write,
      1,
      Buffer.concat([place(2 ** 53), u32(1)]),
      Status.outOfRange,
      /beyond 2\^53/,
    ],
    [
      "a write that is too large",
      Op.write,
      1,
      Buffer.alloc(8 + 4097),
      Status.tooLarge,
      /4097 bytes in one request, at most 4096/,
    ],
    ["a read of nothing", Op.read, 1, Buffer.concat([place(0), u32(0)]), Status.malformed, /for no bytes/],
    [
      "a read that is too large",
      Op.read,
      1,
      Buffer.concat([place(0), u32(5000)]),
      Status.tooLarge,
      /at most 4096/,
    ],
    [
      "too many pairs",
      Op.readList,
      1,
      Buffer.concat([u32(9), ...Array(9).fill(pair(0, 1))]),
      Status.tooLarge,
      /9 pairs .* at most 8/,
    ],
    [
      "fewer pairs than it says",
      Op.readList,
      1,
      Buffer.concat([u32(3), pair(0, 1)]),
      Status.malformed,
      /list request of 3 pairs/,
    ],
    ["no pairs", Op.readList, 1, Buffer.concat([u32(0), pair(0, 1)]), Status.malformed, /without pairs/],
    [
      "an empty pair",
      Op.readList,
      1,
      Buffer.concat([u32(1), pair(0, 0)]),
      Status.malformed,
      /pair 0 has no bytes/,
    ],
    [
      "pairs of more bytes than allowed",
      Op.readList,
      1,
      Buffer.concat([u32(2), pair(0, 4000), pair(0, 4000)]),
      Status.tooLarge,
      /8000 bytes/,
    ],
    [
      "a list write with other data",
      Op.writeList,
      1,
      Buffer.concat([u32(1), pair(0, 8), Buffer.alloc(7)]),
      Status.malformed,
      /comes to 8 bytes here, 7 were sent/,
    ],
    [
      "a datatype that is garbage",
      Op.readType,
      1,
      typed(0, 0, 8, Uint8Array.of(9, 9, 9)),
      Status.malformed,
      /a type is 1, 2 or 3/,
    ],
    [
      "a range beyond the datatype",
      Op.readType,
      1,
      typed(0, 30, 8, type),
      Status.outOfRange,
      /bytes 30 to 38 of a datatype of 32/,
    ],
    ["a datatype that is too deep", Op.readType, 1, typed(0, 0, 8, deep), Status.tooLarge, /nested types/],
    [
      "a datatype description that is too long",
      Op.readType,
      1,
      typed(0, 0, 8, new Uint8Array(65)),
      Status.tooLarge,
      /65 bytes, at most 64/,
    ],
    [
      "too many pieces",
      Op.readType,
      1,
      typed(0, 0, 101, encodeDatatype(vector(200, 2, { kind: "bytes", length: 1 }))),
      Status.tooLarge,
      /more than 100 pieces/,
    ],
    [
      "a datatype far beyond a file",
      Op.readType,
      1,
      typed(2 ** 53 - 1, 0, 32, type),
      Status.outOfRange,
      /beyond 2\^53/,
    ],
    [
      "a datatype write with other data",
      Op.writeType,
      1,
      typed(0, 0, 32, type, 31),
      Status.malformed,
      /comes to 32 bytes here, 31 were sent/,
    ],
    ["a sync with a body", Op.sync, 1, u32(1), Status.malformed, /sync has 4 bytes, expected 0/],
    ["an open with unknown flags", Op.open, 0, open("x", 8), Status.malformed, /unknown flags 8/],
    ["a truncate beyond 2^53", Op.truncate, 1, Buffer.alloc(8, 255), Status.outOfRange, /beyond 2\^53/],
  ])("%s: is refused, and the connection goes on", async (_, op, handle, body, status, text) => {
    const set = await serve();
    const client = await known(set);
    expect((await client.ask(Op.open, 0, open("x")))?.value).toBe(1);
    const answer = await client.ask(op, handle, body);
    expect(answer?.text).toMatch(text);
    expect(answer?.status).toBe(status);
    expect((await client.ask(Op.ping, 0))?.status).toBe(Status.ok);
  });

  it.each<[string, Buffer, number]>([
    ["an unknown operation", frame(77, 0, new Uint8Array(0)), Status.malformed],
    ["bytes that must be zero", frame(0x10000 | Op.ping, 0, new Uint8Array(0)), Status.malformed],
    ["a frame of more than the largest size", u32(2 ** 31), Status.tooLarge],
    ["a frame shorter than a header", u32(3, 0, 0, 0), Status.malformed],
  ])("%s: ends the connection", async (_, bytes, status) => {
    const set = await serve();
    const client = await known(set);
    client.socket.write(bytes);
    await client.ended();
    expect(client.responses.at(-1)?.status).toBe(status);
    await serves(set);
  });
});

describe("names", () => {
  it.each(["", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "a\0b", "a\nb", "x".repeat(201), "a\\b"])(
    "%j is refused by client and server",
    async (name) => {
      expect(nameFault(name)).toBeDefined();
      const set = await serve();
      const client = await known(set);
      for (const [op, body] of [
        [Op.open, open(name)],
        [Op.stat, Buffer.from(name)],
        [Op.remove, Buffer.from(name)],
      ] as const)
        expect((await client.ask(op, 0, body))?.status).toBe(
          name === "" && op === Op.open ? Status.malformed : Status.badName,
        );
      const storage = await connectServers(set);
      await expect(storage.open(name, "create")).rejects.toThrow(/flat names/);
      await storage.close();
    },
  );

  it("links, folders and names that are no text lead nowhere", async () => {
    const set = await serve();
    const folder = join(set.folder, "server-0");
    writeFileSync(join(set.folder, "secret"), "secret");
    symlinkSync(join(set.folder, "secret"), join(folder, "link"));
    symlinkSync(join(set.folder, "new"), join(folder, "dangling"));
    mkdirSync(join(folder, "folder"));
    const client = await known(set);
    expect((await client.ask(Op.open, 0, open("link", 0)))?.text).toMatch(/symbolic link/);
    expect((await client.ask(Op.open, 0, open("dangling")))?.text).toMatch(/symbolic link/);
    expect((await client.ask(Op.stat, 0, Buffer.from("link")))?.status).toBe(Status.noSuchFile);
    expect((await client.ask(Op.open, 0, open("folder")))?.status).toBe(Status.badName);
    expect((await client.ask(Op.remove, 0, Buffer.from("folder")))?.status).toBe(Status.noSuchFile);
    expect((await client.ask(Op.open, 0, Buffer.concat([u32(7), Buffer.of(0xff, 0xfe)])))?.text).toMatch(
      /not UTF-8/,
    );
    expect(existsSync(join(set.folder, "new"))).toBe(false);
  });
});

describe("limits of a server", () => {
  it("a client that never says hello is sent away, and one that hangs up is forgotten", async () => {
    const set = await serve();
    const silent = new RawClient(set);
    const client = await known(set);
    await client.ask(Op.open, 0, open("x"));
    expect(set.servers[0]?.stats()).toMatchObject({ connections: 2, openFiles: 1 });
    client.socket.destroy();
    await client.ended();
    await expect.poll(() => set.servers[0]?.stats().openFiles).toBe(0);
    await silent.ended();
    expect(silent.responses).toEqual([]);
  }, 15_000);

  it("handles are bounded", async () => {
    const set = await serve();
    const client = await known(set);
    for (let i = 0; i < 256; i++) expect((await client.ask(Op.open, 0, open("x")))?.status).toBe(Status.ok);
    expect((await client.ask(Op.open, 0, open("x")))?.status).toBe(Status.tooMany);
    expect((await client.ask(Op.close, 3))?.status).toBe(Status.ok);
    expect((await client.ask(Op.open, 0, open("x")))?.value).toBe(3);
  });

  it("answers that nobody reads stop the requests, and come when they are read", async () => {
    const set = await localServers({ servers: 1 });
    endings.push(() => set.stop());
    const client = await known(set);
    await client.ask(Op.open, 0, open("x"));
    client.socket.pause();
    const reading = frame(Op.read, 1, Buffer.concat([place(0), u32(4 << 20)]));
    for (let i = 0; i < 20; i++) client.socket.write(reading);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(set.servers[0]?.stats().requests.read).toBeLessThan(6);
    client.socket.resume();
    await client.until(22);
    expect(client.responses.filter(({ value }) => value === 4 << 20).length).toBe(20);
  });
});

it("3,000 mutated requests: the server lives, refuses, and others get what they wrote", async () => {
  const set = await serve();
  const random = new Random(testSeed(7));
  const type = encodeDatatype(vector(4, 16, { kind: "bytes", length: 8 }));
  const seeds = [
    frame(Op.write, 1, Buffer.concat([place(100), Buffer.alloc(40, 1)])),
    frame(Op.read, 1, Buffer.concat([place(100), u32(40)])),
    frame(Op.writeList, 1, Buffer.concat([u32(2), pair(0, 4), pair(50, 4), Buffer.alloc(8, 2)])),
    frame(Op.readList, 1, Buffer.concat([u32(2), pair(0, 4), pair(50, 4)])),
    frame(
      Op.writeType,
      1,
      Buffer.concat([place(0), place(0), u32(32, type.length), type, Buffer.alloc(32, 3)]),
    ),
    frame(Op.readType, 1, Buffer.concat([place(0), place(0), u32(32, type.length), type])),
    frame(Op.open, 0, open("x")),
    frame(Op.stat, 0, Buffer.from("x")),
    frame(Op.truncate, 1, place(1000)),
    frame(Op.sync, 1, new Uint8Array(0)),
    frame(Op.stats, 0, new Uint8Array(0)),
    frame(Op.hello, 0, hello(set.token)),
  ];
  const good = await connectServers(set);
  const file = await good.open("good", "create");
  let client = await known(set);
  await client.ask(Op.open, 0, open("x"));
  const looked = (): number =>
    set.servers.reduce(
      (sum, { refused, requests }) => sum + refused + requests.reduce((a, b) => a + b, 0),
      0,
    );
  let own = looked();
  for (let round = 0; looked() - own < 3000; round++) {
    for (let i = 0; i < 20; i++) client.socket.write(mutate(random, random.pick(seeds)));
    // A frame that lost bytes waits for more: a ping of known length shows whether the server still follows.
    const answered = client.responses.length;
    client.socket.write(frame(Op.ping, 0, new Uint8Array(0)));
    await Promise.race([client.until(answered + 21), new Promise((resolve) => setTimeout(resolve, 5))]);
    if (client.closed || random.below(4) === 0) {
      client.socket.destroy();
      client = await known(set);
      await client.ask(Op.open, 0, open("x"));
      own += 2;
    }
    const data = randomBytes(random, 200);
    await file.write(round * 100, data);
    const into = new Uint8Array(200);
    await file.read(round * 100, into);
    own += 2;
    expect(Buffer.compare(into, data)).toBe(0);
  }
  const [stats] = await good.stats();
  expect(stats?.refused).toBeGreaterThan(300);
  for (const name of readdirSync(join(set.folder, "server-0"))) expect(nameFault(name)).toBeUndefined();
  expect(readdirSync(set.folder).sort()).toEqual(["0.sock", "server-0"]);
  await good.close();
});

function mutate(random: Random, seed: Buffer): Buffer {
  const bytes = Buffer.from(seed);
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    // Mostly behind the header: after a broken one the server listens no more.
    const body = bytes.length - 16;
    const at = body === 0 || random.below(20) === 0 ? random.below(16) : 16 + random.below(body);
    const way = random.below(3);
    if (way === 0) bytes[at] = random.below(256);
    else if (way === 1) bytes[at]! ^= 1 << random.below(8);
    else bytes[at] = random.pick([0, 1, 127, 128, 255]);
  }
  if (random.below(50) === 0) return bytes.subarray(0, random.below(bytes.length));
  if (random.below(50) === 0) return Buffer.concat([bytes, randomBytes(random, random.below(40))]);
  return bytes;
}
