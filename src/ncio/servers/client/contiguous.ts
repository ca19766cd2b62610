/** Contiguous requests that reach beyond one strip: rounds in which each server gets at most one message. */
import { localBefore, type Strips } from "../strips.ts";
import type { ServersFile } from "./file.ts";
import { Call } from "./message.ts";
import { movePieces } from "./spread.ts";

export async function writeAcross(file: ServersFile, at: number, bytes: Uint8Array): Promise<void> {
  const { strips, limits } = file.storage;
  const most = roundBytes(strips, limits.dataBytes);
  for (let done = 0; done < bytes.length; done += most)
    await writeRound(file, at + done, bytes.subarray(done, done + most));
}

export async function readAcross(file: ServersFile, at: number, into: Uint8Array): Promise<void> {
  const { strips, limits } = file.storage;
  const most = roundBytes(strips, limits.dataBytes);
  for (let done = 0; done < into.length; done += most)
    await readRound(file, at + done, into.subarray(done, done + most));
}

/** Max bytes of a round: no server gets more than one message, at any offset. */
function roundBytes({ servers, bytes }: Strips, dataBytes: number): number {
  return bytes > dataBytes ? dataBytes : servers * bytes * Math.floor(dataBytes / bytes);
}

function writeRound(file: ServersFile, at: number, bytes: Uint8Array): Promise<void> {
  const { strips } = file.storage;
  const servers = serversOf(strips, at, bytes.length);
  const call = new Call(servers.length);
  for (const server of servers) {
    const local = localBefore(strips, server, at);
    const length = localBefore(strips, server, at + bytes.length) - local;
    file.sendWriteOf(server, local, length, call, stripsOf(strips, server, at, bytes));
  }
  return call.promise;
}

async function readRound(file: ServersFile, at: number, into: Uint8Array): Promise<void> {
  const { strips, pool } = file.storage;
  const servers = serversOf(strips, at, into.length);
  const call = new Call(servers.length);
  const buffers: (Buffer | undefined)[] = [];
  for (const server of servers) {
    const local = localBefore(strips, server, at);
    const length = localBefore(strips, server, at + into.length) - local;
    const buffer = pool.take(length);
    buffers[server] = buffer;
    file.sendRead(server, local, length, buffer, 0, call);
  }
  await call.promise;
  const piece = { count: 1, offsets: Float64Array.of(at), lengths: Float64Array.of(into.length) };
  const staging = { buffers, at: new Float64Array(strips.servers), pairAt: undefined };
  movePieces(piece, 0, 1, strips, into, 0, staging, false);
  for (const buffer of buffers) if (buffer !== undefined) pool.give(buffer);
}

/** Servers with a part of a range of the file. */
function serversOf({ servers, bytes: strip }: Strips, at: number, bytes: number): number[] {
  const first = Math.floor(at / strip);
  const touched = Math.min(servers, Math.floor((at + bytes - 1) / strip) - first + 1);
  return Array.from({ length: touched }, (_, i) => (first + i) % servers);
}

/** A server's strips within a range, with their offsets. */
function stripsOf({ servers, bytes: strip }: Strips, server: number, at: number, bytes: Uint8Array) {
  const end = at + bytes.length;
  const first = Math.floor(at / strip);
  const parts: Uint8Array[] = [];
  for (let i = first + ((server - (first % servers) + servers) % servers); i * strip < end; i += servers)
    parts.push(bytes.subarray(Math.max(0, i * strip - at), Math.min(bytes.length, (i + 1) * strip - at)));
  return parts;
}
