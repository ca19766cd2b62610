/** The codecs of Node: zlib from Node itself, bzip2 of our own. */
import { bzip2Codec } from "../base/bzip2/index.ts";
import { zlibCodec } from "./zlib.ts";

export const nodeCodecs = { zlib: zlibCodec, bzip2: bzip2Codec };
