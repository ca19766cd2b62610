/** What our own collectors write: server segments and client readings. */
import { CLIENT_READING } from "./client-reading.ts";
import { SERVER_SAMPLES } from "./server-segment.ts";

type SamplesKind = typeof SERVER_SAMPLES | typeof CLIENT_READING;

const LATIN = new TextDecoder("latin1");

/** What an input is, by its first bytes; undefined when it is none of ours. */
export function recognizeSamples(head: Uint8Array): SamplesKind | undefined {
  const kind = /^\s*\{\s*"plimsoll"\s*:\s*"([a-z-]+)"/.exec(LATIN.decode(head.subarray(0, 256)))?.[1];
  return kind === SERVER_SAMPLES || kind === CLIENT_READING ? kind : undefined;
}

export * from "./client-reading.ts";
export { readSegment } from "./read-segment.ts";
export * from "./server-segment.ts";
export { writeDeltas } from "./write-deltas.ts";
export { clientReading, serverSamples } from "./format.ts";
