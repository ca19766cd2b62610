/**
 * Round-robin striping of a file: strip i is on server i mod n, and a server stores its strips consecutively in one local file.
 * So a contiguous range of the file is contiguous on each server.
 */
export interface Strips {
  readonly servers: number;
  readonly bytes: number;
}

export const serverOf = ({ servers, bytes }: Strips, at: number): number => Math.floor(at / bytes) % servers;

/** Number of bytes below `at` on a server; the local offset of `at` if it belongs to that server. */
export function localBefore({ servers, bytes }: Strips, server: number, at: number): number {
  const round = bytes * servers;
  const rounds = Math.floor(at / round);
  const rest = at - rounds * round - server * bytes;
  return rounds * bytes + (rest <= 0 ? 0 : rest >= bytes ? bytes : rest);
}

/** File offset of the end of a server's local file; 0 if it is empty. */
export function fileEnd({ servers, bytes }: Strips, server: number, localBytes: number): number {
  if (localBytes === 0) return 0;
  const strip = Math.floor((localBytes - 1) / bytes);
  return (strip * servers + server) * bytes + (localBytes - strip * bytes);
}
