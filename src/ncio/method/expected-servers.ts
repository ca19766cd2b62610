/** Number of servers per request with round-robin strips. */
import type { StorageShape } from "./expected.ts";

/** Equal regions at equal distances. */
export interface Comb {
  readonly start: number;
  readonly stride: number;
  readonly size: number;
  readonly count: number;
}

type Strips = Pick<StorageShape, "servers" | "stripBytes" | "messageBytesMax">;

const STRIP_BYTES = 65536;

/** Servers of one contiguous range. */
function rangeServers(at: number, bytes: number, { servers = 1, stripBytes = STRIP_BYTES }: Strips): number {
  return Math.min(servers, Math.floor((at + bytes - 1) / stripBytes) - Math.floor(at / stripBytes) + 1);
}

/** Messages of one contiguous request: rounds with at most one message per server. */
export function rangeMessages(at: number, bytes: number, strips: Strips): number {
  const { servers = 1, stripBytes = STRIP_BYTES, messageBytesMax = Number.POSITIVE_INFINITY } = strips;
  const round =
    stripBytes > messageBytesMax
      ? messageBytesMax
      : servers * stripBytes * Math.floor(messageBytesMax / stripBytes);
  if (bytes <= round) return rangeServers(at, bytes, strips);
  const rounds = Math.ceil(bytes / round);
  const rest = bytes - (rounds - 1) * round;
  const last = rangeServers(at + bytes - rest, rest, strips);
  // A round of whole strips starts at the same position in a strip as the previous one, so all but the last are equal.
  if (stripBytes <= messageBytesMax) return (rounds - 1) * rangeServers(at, round, strips) + last;
  let sum = last;
  for (let i = 0; i < rounds - 1; i++) sum += rangeServers(at + i * round, round, strips);
  return sum;
}

/**
 * The sum over requests at equal distances. A request moved by a whole strip uses the same number of servers, so only the
 * offset within a strip matters, and it is periodic.
 */
export function periodicSum(
  count: number,
  start: number,
  apart: number,
  { stripBytes = STRIP_BYTES }: Strips,
  messages: (place: number) => number,
): number {
  const period = stripBytes / greatestDivisor(stripBytes, apart);
  const sum = (requests: number): number => {
    let total = 0;
    for (let i = 0; i < requests; i++) total += messages((start + i * apart) % stripBytes);
    return total;
  };
  if (count <= period) return sum(count);
  return Math.floor(count / period) * sum(period) + sum(count % period);
}

/** Servers of one request for all regions, the first without `head` bytes and the last with `tail` of them. */
export function combServers(
  { start, stride, size, count }: Comb,
  head: number,
  tail: number,
  strips: Strips,
): number {
  const { servers = 1, stripBytes = STRIP_BYTES } = strips;
  const end = start + (count - 1) * stride + tail;
  // Regions with a stride of at most a strip skip no server.
  if (stride <= stripBytes || count === 1) return rangeServers(start + head, end - start - head, strips);
  const touched = new Set<number>();
  for (let i = 0; i < count && touched.size < servers; i++) {
    const from = start + i * stride + (i === 0 ? head : 0);
    const to = start + i * stride + (i === count - 1 ? tail : size);
    const last = Math.floor((to - 1) / stripBytes);
    for (let strip = Math.floor(from / stripBytes); strip <= last && touched.size < servers; strip++)
      touched.add(strip % servers);
  }
  return touched.size;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
