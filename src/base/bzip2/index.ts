/** bzip2 without a library: a decoder that pulls in bounded memory, and an encoder for what we write. */
export { bzip2Codec } from "./decode.ts";
export { bzip2Compress } from "./encode.ts";
