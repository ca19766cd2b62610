/** A call to copy eight bytes takes longer than the copy. */
export function copyBytes(from: Uint8Array, at: number, to: Uint8Array, place: number, bytes: number): void {
  if (bytes > 32) {
    to.set(from.subarray(at, at + bytes), place);
    return;
  }
  for (let i = 0; i < bytes; i++) to[place + i] = from[at + i] as number;
}
