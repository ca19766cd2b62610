// Clients that hold what they can: connections without a word, responses that they do not take, requests without an end.

import { afterEach, describe, expect, it } from "vitest";
import { PATIENCE } from "../../src/ncio/servers/limits.ts";
import { Op, Status } from "../../src/ncio/servers/wire.ts";
import { type LocalOptions, type LocalSet, localServers } from "./targets-kit.ts";
import { endAll, endings, frame, known, open, place, RawClient, u32 } from "./targets-raw.ts";

afterEach(endAll);

/** Nobody is sent away for being slow unless the test says so. */
const PATIENT = { stalledMs: 600_000, blockingMs: 600_000, lookMs: 20 };
const MIB = 1 << 20;

async function serve(options: Partial<LocalOptions> = {}): Promise<LocalSet> {
  const set = await localServers({ servers: 1, tcp: true, patience: PATIENT, ...options });
  endings.push(() => set.stop());
  return set;
}

const READ = frame(Op.read, 1, Buffer.concat([place(0), u32(4 * MIB)]));

/** Asks for much and takes nothing. */
async function deaf(set: LocalSet, requests: number): Promise<RawClient> {
  const client = await known(set);
  await client.ask(Op.open, 0, open("x"));
  client.socket.pause();
  for (let i = 0; i < requests; i++) client.socket.write(READ);
  return client;
}

const reads = (set: LocalSet) => set.servers[0]?.stats().requests.read ?? 0;

describe("a server", () => {
  it("lets a client in while 600 others say nothing", async () => {
    const set = await serve();
    const silent = Array.from({ length: 600 }, () => new RawClient(set));
    await Promise.all(silent.map(({ socket }) => new Promise((done) => socket.once("connect", done))));
    const client = await known(set);
    await expect.poll(() => silent.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(600 - 64);
    // Whoever is known stays, no matter how many come after.
    const more = Array.from({ length: 200 }, () => new RawClient(set));
    await expect.poll(() => more.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(200 - 64);
    expect((await client.ask(Op.ping, 0))?.status).toBe(Status.ok);
    expect(set.servers[0]?.stats().connections).toBeLessThanOrEqual(65);
  });

  it("holds 64 MiB of responses for all clients that do not take them, and serves the others", async () => {
    const set = await serve();
    const clients = await Promise.all(Array.from({ length: 40 }, () => deaf(set, 3)));
    // What the system holds of a connection is not known; so until nothing happens any more.
    let before = -1;
    for (let same = 0; same < 5; same = reads(set) === before ? same + 1 : 0) {
      before = reads(set);
      await new Promise((passed) => setTimeout(passed, 50));
    }
    expect(clients.every(({ closed }) => !closed)).toBe(true);
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(64 * 2 * MIB + 64 * MIB);
    // Whoever takes its answers can write and ask for the time being; data is read when there is room.
    const other = await known(set);
    expect((await other.ask(Op.open, 0, open("y")))?.status).toBe(Status.ok);
    expect((await other.ask(Op.write, 1, Buffer.concat([place(0), Buffer.alloc(MIB, 7)])))?.value).toBe(MIB);
    const asked = other.ask(Op.read, 1, Buffer.concat([place(0), u32(MIB)]));
    for (const client of clients) client.socket.resume();
    expect((await asked)?.value).toBe(MIB);
    // Nothing is lost: who takes the answers now gets all of them.
    for (const client of clients) {
      await client.until(5);
      expect(client.responses.filter(({ value }) => value === 4 * MIB).length).toBe(3);
    }
  });

  it("sends away who takes nothing, so that the others get their turn", async () => {
    expect(PATIENCE).toEqual({ stalledMs: 30_000, blockingMs: 5000, lookMs: 1000 });
    const set = await serve({ patience: { stalledMs: 600_000, blockingMs: 100, lookMs: 20 } });
    const clients = await Promise.all(Array.from({ length: 40 }, () => deaf(set, 3)));
    const other = await known(set);
    await other.ask(Op.open, 0, open("y"));
    expect((await other.ask(Op.read, 1, Buffer.concat([place(0), u32(4 * MIB)])))?.value).toBe(4 * MIB);
    await expect.poll(() => set.servers[0]?.stats().connections).toBeLessThan(41);
    for (const client of clients) client.socket.destroy();
  });

  it("sends away who stops in the middle of a request, and nobody who is only idle", async () => {
    const set = await serve({ patience: { stalledMs: 100, blockingMs: 100, lookMs: 20 } });
    const [idle, half, slow] = [await known(set), await known(set), await known(set)];
    await slow.ask(Op.open, 0, open("z"));
    half.socket.write(READ.subarray(0, 20));
    // A byte now and then is progress.
    const request = frame(Op.write, 1, Buffer.concat([place(0), Buffer.alloc(40)]));
    let at = 0;
    const timer = setInterval(() => slow.socket.write(request.subarray(at, ++at)), 10);
    await half.ended();
    await slow.until(3);
    clearInterval(timer);
    expect(slow.responses[2]?.value).toBe(40);
    expect((await idle.ask(Op.ping, 0))?.status).toBe(Status.ok);
  });
});
