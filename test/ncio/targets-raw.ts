/** A client of storage targets that sends whatever it is told. */
import { createConnection, type Socket } from "node:net";
import { expect } from "vitest";
import { parseAddress } from "../../src/ncio/servers/address.ts";
import { FrameReader } from "../../src/ncio/servers/frame-reader.ts";
import { MAGIC, Op, Status, VERSION } from "../../src/ncio/servers/wire.ts";
import type { LocalSet } from "./targets-kit.ts";

/** What ends with the test; for `afterEach`. */
export const endings: (() => unknown)[] = [];
export async function endAll(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}

export interface Response {
  readonly id: number;
  readonly status: number;
  readonly value: number;
  readonly text: string;
}

/** A client that sends whatever it is told. */
export class RawClient {
  readonly socket: Socket;
  readonly responses: Response[] = [];
  closed = false;
  #wake: () => void = () => {};

  constructor(set: LocalSet) {
    const at = parseAddress(set.addresses[0] as string);
    this.socket = createConnection(at.kind === "unix" ? { path: at.path } : at);
    endings.push(() => this.socket.destroy());
    const reader = new FrameReader(
      (bytes, start, end) =>
        this.responses.push({
          id: bytes.readUInt32LE(start + 4),
          status: bytes.readUInt32LE(start + 8),
          value: bytes.readUInt32LE(start + 12),
          text: bytes.toString("latin1", start + 16, end),
        }),
      () => {},
    );
    this.socket.on("data", (chunk) => {
      reader.feed(chunk as Buffer);
      this.#wake();
    });
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
  }

  /** Waits for this many responses in all, or the end. */
  async until(count: number): Promise<void> {
    while (this.responses.length < count && !this.closed)
      await new Promise<void>((wake) => (this.#wake = wake));
  }

  async ask(op: number, handle: number, body: Uint8Array = new Uint8Array(0)): Promise<Response | undefined> {
    const count = this.responses.length + 1;
    this.socket.write(frame(op, handle, body, count));
    await this.until(count);
    return this.responses[count - 1];
  }

  async ended(): Promise<void> {
    while (!this.closed) await new Promise<void>((wake) => (this.#wake = wake));
  }
}

export function frame(op: number, handle: number, body: Uint8Array, id = 1): Buffer {
  const bytes = Buffer.alloc(16 + body.length);
  bytes.writeUInt32LE(12 + body.length, 0);
  bytes.writeUInt32LE(id, 4);
  bytes.writeUInt32LE(op, 8);
  bytes.writeUInt32LE(handle, 12);
  bytes.set(body, 16);
  return bytes;
}

export function hello(token: string, version = VERSION, magic = MAGIC): Buffer {
  const bytes = Buffer.alloc(8 + Buffer.byteLength(token));
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt16LE(version, 4);
  bytes.writeUInt16LE(Buffer.byteLength(token), 6);
  bytes.write(token, 8);
  return bytes;
}

export const place = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
export const u32 = (...values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
export const open = (name: string, flags = 7): Buffer => Buffer.concat([u32(flags), Buffer.from(name)]);
export const pair = (at: number, length: number): Buffer => Buffer.concat([place(at), u32(length)]);

export async function known(set: LocalSet): Promise<RawClient> {
  const client = new RawClient(set);
  expect((await client.ask(Op.hello, 0, hello(set.token)))?.status).toBe(Status.ok);
  return client;
}
