/** CRC-32 as fast as this Node has it: zlib's own from 20.15 and 22.2 on, 4.8 GB/s against 0.7 in TypeScript. */
import * as zlib from "node:zlib";
import { type Crc32, crc32 as slowly } from "../base/crc32.ts";

export const crc32: Crc32 = (zlib as { readonly crc32?: Crc32 }).crc32 ?? slowly;
