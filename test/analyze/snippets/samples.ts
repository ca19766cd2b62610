/** Parameters that each snippet is tried with; the type asks for every entry of the table. */
import type { Entry, Way } from "../../../src/analyze/job/snippets/entry.ts";
import type { SNIPPETS } from "../../../src/analyze/job/snippets/index.ts";

type ParamsOf<Of> = Of extends Entry<infer Params> ? Params : never;
type Samples = { readonly [Name in keyof typeof SNIPPETS]: readonly ParamsOf<(typeof SNIPPETS)[Name]>[] };

const WAYS: readonly { readonly way: Way }[] = [{ way: "write" }, { way: "read" }];
const NONE = [undefined];
const MIB = 1 << 20;

/** Paths as people have them, as anonymised logs have them, and as nobody should have them. */
export const PATHS = [
  "/scratch/alice/run 7/it's; $(touch hacked) `touch hacked`.h5",
  "/scratch/alice/-rf\n/tmp/x\r\u202e\"'\\",
  "/scratch/out.h5",
  "/",
  "(record 9301541831694517)",
  "<STDOUT>",
  "/scratch/3f9a0c12de45aa07/9301541831694517",
] as const;

const PLACES = PATHS.map((path) => ({ path }));

export const SAMPLES: Samples = {
  mpiHints: [
    { hints: [{ key: "romio_cb_write", value: "enable" }] },
    {
      hints: [
        { key: "cb_buffer_size", value: 16 * MIB },
        { key: "striping_factor", value: 8 },
      ],
    },
  ],
  collectiveCall: WAYS,
  ownPart: WAYS,
  vectorView: [
    { way: "write", regionBytes: 47.6, gapBytes: 16 },
    { way: "read", regionBytes: 64, gapBytes: 0 },
    { way: "read", regionBytes: 1, gapBytes: Number.NaN },
  ],
  allAtOnce: WAYS,
  ownOffsets: NONE,
  openTogether: NONE,
  mpiSyncOnce: NONE,
  hostOfRank: [{ rank: 0 }, { rank: 2047 }],
  waitingBefore: NONE,
  byMessage: NONE,
  overlap: WAYS,
  openOnce: WAYS,
  statOnce: NONE,
  accessOnce: NONE,
  deferredOpen: WAYS,
  broadcastFile: [
    { path: "/scratch/in put/data" },
    { path: "x/it's \"\\n??/" + "\n" + 'new".dat' },
    ...PLACES,
  ],
  container: WAYS,
  sharedFile: [
    { way: "write", stripes: 8 },
    { way: "read", stripes: Number.NaN },
  ],
  closeChecked: NONE,
  writeBuffer: NONE,
  readAhead: NONE,
  prefetch: NONE,
  sortedWrites: NONE,
  alignedPieces: WAYS.flatMap(({ way }) =>
    [MIB, 5e9, Number.NaN].map((stripeBytes) => ({ way, stripeBytes })),
  ),
  readOnce: NONE,
  everyNth: NONE,
  positioned: [{ ways: ["read"] }, { ways: ["write"] }, { ways: ["write", "read"] }],
  updateInMemory: NONE,
  syncOnce: NONE,
  alignedMemory: NONE,
  streamBuffer: WAYS.flatMap(({ way }) => [800, 100_000, 5e9].map((fileBytes) => ({ way, fileBytes }))),
  pastStreams: WAYS.flatMap(({ way }) =>
    [800, 5e9].flatMap((fileBytes) => [true, false].map((buffer) => ({ way, fileBytes, buffer }))),
  ),
  readRegion: WAYS,
  hdf5Collective: WAYS,
  hdf5Metadata: WAYS,
  hdf5Chunks: WAYS,
  hdf5Alignment: WAYS.flatMap(({ way }) => [MIB, 5e9].map((stripeBytes) => ({ way, stripeBytes }))),
  hdf5Hyperslab: WAYS,
  hdf5Rows: WAYS,
  hdf5Fill: NONE,
  pnetcdfCollective: WAYS,
  pnetcdfNonblocking: NONE,
  setStripe: PATHS.flatMap((path) => WAYS.map(({ way }) => ({ path, way, stripes: 24, stripeSize: "4M" }))),
  oneStripe: PLACES,
  anyOst: PATHS.flatMap((path) => WAYS.map(({ way }) => ({ path, way }))),
  moreStripes: PATHS.flatMap((path) => WAYS.map(({ way }) => ({ path, way, stripes: 12 }))),
  leaveOst: PATHS.map((path) => ({ path, ost: 13, stripes: Number.NaN, fastOst: 4 })),
  lookAtOst: PATHS.map((path) => ({ path, ost: 13 })),
  toScratch: PATHS.flatMap((path) => (["before", "after", "none"] as const).map((copy) => ({ path, copy }))),
  oneImage: PATHS.map((path) => ({ path, files: 120_000 })),
  environmentImage: PATHS.map((path) => ({ path, files: 371 })),
  nodeTmp: [{ bytes: 1e6 }, { bytes: 5e9 }],
  traceCalls: NONE,
  moreRecords: [
    { modules: ["POSIX", "MPI-IO", "DXT_POSIX"] },
    { modules: ["DXT_MPIIO"] },
    { modules: ["X\nEND\nrm"] },
  ],
  whatIsRecorded: NONE,
  pageFaults: NONE,
  recordWorkers: NONE,
  lookAtMounts: NONE,
};
