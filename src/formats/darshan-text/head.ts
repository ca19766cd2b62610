/** Warnings of the tool may stand before. */
const FIRST = /^(#[^\n]*\n|\r?\n)*# darshan log version:/;

export const isDarshanText = (head: Uint8Array): boolean =>
  head[0] === 0x23 && FIRST.test(new TextDecoder("latin1").decode(head));
