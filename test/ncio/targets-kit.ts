/** Servers inside the test's process, a plain model of a file, and random patterns for tests of storage targets. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../src/base/prng.ts";
import type { Datatype } from "../../src/ncio/pattern/index.ts";
import { formatAddress } from "../../src/ncio/servers/address.ts";
import { DEFAULT_LIMITS, type Joins, type Limits } from "../../src/ncio/servers/index.ts";
import type { Patience } from "../../src/ncio/servers/limits.ts";
import { TargetServer } from "../../src/ncio/servers/server/server.ts";
import type { Syncs } from "../../src/ncio/servers/index.ts";
import type { ServerSetting } from "../../src/ncio/servers/server/setting.ts";

export interface LocalSet {
  readonly addresses: string[];
  readonly token: string;
  readonly servers: readonly TargetServer[];
  readonly folder: string;
  stop(): Promise<void>;
}

export interface LocalOptions {
  readonly servers: number;
  readonly stripBytes?: number;
  readonly joins?: Joins;
  readonly limits?: Partial<Limits>;
  readonly simulateSeekMs?: number;
  readonly syncs?: Syncs;
  /** On a port of 127.0.0.1 instead of a socket in a folder. */
  readonly tcp?: boolean;
  readonly patience?: Patience;
}

/** Servers without processes of their own: whatever they throw ends the test. */
export async function localServers(options: LocalOptions): Promise<LocalSet> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-targets-test-"));
  const token = "a token of the test";
  const servers = Array.from({ length: options.servers }, (_, server) => {
    const own = join(folder, `server-${server}`);
    mkdirSync(own);
    const setting: ServerSetting = {
      server,
      servers: options.servers,
      stripBytes: options.stripBytes ?? 65536,
      folder: own,
      listen: options.tcp
        ? { kind: "tcp", host: "127.0.0.1", port: 0 }
        : { kind: "unix", path: join(folder, `${server}.sock`) },
      token,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      joins: options.joins ?? "touching",
      syncs: options.syncs ?? "beside",
      simulateSeekMs: options.simulateSeekMs ?? 0,
    };
    return new TargetServer(setting, options.patience);
  });
  const listens = await Promise.all(servers.map((server) => server.listen()));
  return {
    addresses: listens.map(formatAddress),
    token,
    servers,
    folder,
    stop: async () => {
      await Promise.all(servers.map((server) => server.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Piece {
  readonly at: number;
  readonly length: number;
}

/** Every piece of a datatype, by plain recursion. */
export function expand(type: Datatype, at = 0): Piece[] {
  if (type.kind === "bytes") return type.length === 0 ? [] : [{ at, length: type.length }];
  if (type.kind === "vector")
    return Array.from({ length: type.count }, (_, i) => expand(type.of, at + i * type.stride)).flat();
  return type.parts.flatMap((part) => expand(part.of, at + part.at));
}

export function randomType(random: Random, depth = 3): Datatype {
  const kind = depth === 0 ? 0 : random.below(4);
  if (kind === 0) return { kind: "bytes", length: 1 + random.below(random.below(4) === 0 ? 3000 : 24) };
  if (kind < 3) {
    const of = randomType(random, depth - 1);
    return { kind: "vector", count: 1 + random.below(9), stride: random.below(700), of };
  }
  const parts = Array.from({ length: 1 + random.below(4) }, () => ({
    at: random.below(5000),
    of: randomType(random, depth - 1),
  }));
  return { kind: "parts", parts };
}

export function randomBytes(random: Random, count: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(count / 4));
  for (let i = 0; i < words.length; i++) words[i] = random.bits();
  return new Uint8Array(words.buffer, 0, count);
}

/** A file as nobody could get it wrong. */
export class PlainFile {
  bytes = new Uint8Array(0);

  write(at: number, data: Uint8Array): void {
    if (at + data.length > this.bytes.length) {
      const longer = new Uint8Array(at + data.length);
      longer.set(this.bytes);
      this.bytes = longer;
    }
    this.bytes.set(data, at);
  }

  read(at: number, count: number): Uint8Array {
    const out = new Uint8Array(count);
    out.set(this.bytes.subarray(at, at + count));
    return out;
  }

  writePieces(pieces: readonly Piece[], data: Uint8Array): void {
    let from = 0;
    for (const { at, length } of pieces) {
      this.write(at, data.subarray(from, from + length));
      from += length;
    }
  }

  readPieces(pieces: readonly Piece[]): Uint8Array {
    return Buffer.concat(pieces.map(({ at, length }) => this.read(at, length)));
  }
}

/** Of some bytes of the data of pieces, those pieces. */
export function cut(pieces: readonly Piece[], skip: number, bytes: number): Piece[] {
  let before = 0;
  return pieces.flatMap(({ at, length }) => {
    const from = Math.max(0, skip - before);
    const to = Math.min(length, skip + bytes - before);
    before += length;
    return to > from ? [{ at: at + from, length: to - from }] : [];
  });
}
