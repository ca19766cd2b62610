/** Modules whose records vary in size; blocks.ts knows how each is framed. */
import { counters, type ModuleSpec } from "./module.ts";

const none = [] as const;

/**
 * LUSTRE version 2: base, component count c, stripe count s, c components of 9 words (7 counters and 16 bytes
 * of pool name), s OST indexes. Version 1: base, OSTs, MDTs, stripe offset, stripe size, stripe width w, w OSTs.
 */
export const lustre: ModuleSpec = {
  name: "LUSTRE",
  kind: "lustre",
  slots: [6, 7, 8],
  version: 2,
  versions: { 1: { words: 7 }, 2: { words: 4 } },
  integers: counters(
    "LUSTRE_COMP_",
    `STRIPE_SIZE bytes none bytes of one stripe
    STRIPE_COUNT count none stripes of the component
    STRIPE_PATTERN mode none layout: 0 raid0, 2 mdt, 4 overstriped, 8 foreign, -1 unknown
    FLAGS mode none bits: stale, prefrd, prefwr, offline, init, nosync, extension, parity, compress, partial, nocompr, neg
    EXT_START bytes none first byte of the file that the component covers
    EXT_END bytes none end of the range, -1 for the end of the file
    MIRROR_ID id none mirror the component belongs to, -1 unknown`,
  ),
  reals: none,
  integersAt: 4,
  realsAt: 4,
  about: "stripe layout of files on Lustre",
};

export const COMPONENT_WORDS = 9;

const dxt = (
  name: string,
  slots: readonly [number, number, number],
  version: number,
  about: string,
): ModuleSpec => ({
  name,
  kind: "dxt",
  slots,
  version,
  // Base, a marker without use, 64 bytes of host name, writes, reads; then the segments.
  versions: Object.fromEntries(
    Array.from({ length: version }, (_, i) => [i + 1, { words: 13, bytes: [[3, 11]] }]),
  ),
  integers: none,
  reals: none,
  integersAt: 2,
  realsAt: 2,
  about,
});

export const dxtPosix = dxt("DXT_POSIX", [8, 9, 10], 2, "each POSIX read and write");
export const dxtMpiio = dxt("DXT_MPIIO", [9, 10, 11], 3, "each MPI-IO read and write");

/** Words of a DXT segment in the given record version: offset, length, start, end, and later the thread. */
export function segmentWords(spec: ModuleSpec, version: number): 4 | 5 {
  return version === spec.version ? 5 : 4;
}

/** HEATMAP: base, bin width, bin count n, two words without meaning, n write bins, n read bins. */
export const heatmap: ModuleSpec = {
  name: "HEATMAP",
  kind: "heatmap",
  slots: [-1, 14, 15],
  version: 1,
  versions: { 1: { words: 6 } },
  integers: none,
  reals: none,
  integersAt: 2,
  realsAt: 2,
  about: "bytes moved per time bin, one record per rank and layer",
};

export const mdhim: ModuleSpec = {
  name: "MDHIM",
  kind: "mdhim",
  slots: [10, 11, 12],
  version: 1,
  versions: { 1: { words: 12 } },
  integers: counters(
    "MDHIM_",
    `PUTS count none puts
    GETS count none gets
    PUT_MAX_SIZE bytes none largest put
    GET_MAX_SIZE bytes none largest get
    SERVERS count none servers; as many counts follow`,
  ),
  reals: counters(
    "MDHIM_F_",
    `PUT_TIMESTAMP seconds none first put
    GET_TIMESTAMP seconds none first get
    PUT_MAX_DURATION seconds none longest put
    GET_MAX_DURATION seconds none longest get`,
  ),
  integersAt: 2,
  realsAt: 7,
  about: "a distributed key-value store, with a count per server",
};
