/**
 * A file in strips, dealt out in turn: strip i lies on server i mod n, and a server keeps its strips one after the other in
 * one local file. So whatever is contiguous in the file is contiguous in each server's part of it.
 */
export interface Strips {
  readonly servers: number;
  readonly bytes: number;
}

export const serverOf = ({ servers, bytes }: Strips, at: number): number => Math.floor(at / bytes) % servers;

/** How many bytes of the file below `at` a server has; the local place of `at` where it is that server's. */
export function localBefore({ servers, bytes }: Strips, server: number, at: number): number {
  const round = bytes * servers;
  const rounds = Math.floor(at / round);
  const rest = at - rounds * round - server * bytes;
  return rounds * bytes + (rest <= 0 ? 0 : rest >= bytes ? bytes : rest);
}

/** Where in the file the last byte of a server's local file ends; 0 when that is empty. */
export function fileEnd({ servers, bytes }: Strips, server: number, localBytes: number): number {
  if (localBytes === 0) return 0;
  const strip = Math.floor((localBytes - 1) / bytes);
  return (strip * servers + server) * bytes + (localBytes - strip * bytes);
}
