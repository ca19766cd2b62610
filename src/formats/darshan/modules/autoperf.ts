/** AutoPerf: MPI communication (APMPI) and Cray XC network counters (APXC). A header record comes first. */
import { type Counter, counters, fixedModule } from "./module.ts";

const MESSAGE_SIZES = ["0_256", "256_1K", "1K_8K", "8K_256K", "256K_1M", "1M_PLUS"] as const;

/** Operations in the order of the record; those without a size have a call count only. */
const SIZED_FIRST =
  "SEND SSEND RSEND BSEND RECV SENDRECV SENDRECV_REPLACE ISEND ISSEND IRSEND IBSEND IRECV".split(" ");
const COUNTED_FIRST =
  "PROBE IPROBE TEST TESTANY TESTALL TESTSOME WAIT WAITANY WAITALL WAITSOME BARRIER IBARRIER".split(" ");
const COLLECTIVES =
  "BCAST GATHER GATHERV SCATTER SCATTERV SCAN EXSCAN ALLGATHER ALLGATHERV REDUCE ALLREDUCE REDUCE_SCATTER ALLTOALL ALLTOALLV ALLTOALLW".split(
    " ",
  );
const SIZED_LAST = "PUT GET ACCUMULATE GET_ACCUMULATE".split(" ");
const COUNTED_LAST =
  "FETCH_AND_OP COMPARE_AND_SWAP WIN_FENCE WIN_START WIN_COMPLETE WIN_POST WIN_WAIT WIN_TEST WIN_LOCK WIN_UNLOCK WIN_UNLOCK_ALL WIN_FLUSH WIN_FLUSH_ALL WIN_FLUSH_LOCAL WIN_FLUSH_LOCAL_ALL WIN_SYNC".split(
    " ",
  );
const sized = (op: string) => ({ op, sizes: true });
const counted = (op: string) => ({ op, sizes: false });
const OPERATIONS = [
  ...SIZED_FIRST.map(sized),
  ...COUNTED_FIRST.map(counted),
  ...COLLECTIVES.map(sized),
  ...COLLECTIVES.map((op) => sized(`I${op}`)),
  ...SIZED_LAST.map(sized),
  ...COUNTED_LAST.map(counted),
];

const apmpiIntegers: Counter[] = OPERATIONS.flatMap(({ op, sizes }) => [
  ...counters(`MPI_${op}_`, `CALL_COUNT count! none calls of MPI_${op}`),
  ...(sizes
    ? counters(
        `MPI_${op}_`,
        [
          "TOTAL_BYTES bytes! none bytes moved",
          ...MESSAGE_SIZES.map((s) => `MSG_SIZE_AGG_${s} count! none messages of ${s}`),
        ].join("\n"),
      )
    : []),
]);

/** Synchronisation times exist for the barrier and the blocking collectives. */
export const SYNC_TIMES = 16;

export const apmpi = fixedModule({
  name: "APMPI",
  kind: "headed",
  slots: [-1, 13, 14],
  version: 1,
  integers: apmpiIntegers,
  reals: [
    ...OPERATIONS.flatMap(({ op }) =>
      counters(
        `MPI_${op}_`,
        `TOTAL_TIME seconds none time in MPI_${op}
        MIN_TIME seconds none shortest call
        MAX_TIME seconds none longest call`,
      ),
    ),
    ...["BARRIER", ...COLLECTIVES].flatMap((op) =>
      counters(`MPI_${op}_`, `TOTAL_SYNC_TIME seconds none time waiting for others before MPI_${op}`),
    ),
    ...counters(
      "MPI_",
      `TOTAL_COMM_TIME seconds none time in all MPI calls
      TOTAL_COMM_SYNC_TIME seconds none time waiting for others in all MPI calls`,
    ),
  ],
  tailWords: 16,
  tailBytes: [[0, 16]],
  // Base, magic, sync flag and padding, two variances.
  header: { words: 6, halves: [3] },
  about: "MPI calls per rank; the record ends with 128 bytes of node name",
});

const APXC_ROUTER: string[] = [];
for (let row = 0; row < 5; row++) {
  for (let column = 0; column < 8; column++) {
    for (let vc = 0; vc < 8; vc++)
      APXC_ROUTER.push(`RTR_${row}_${column}_INQ_PRF_INCOMING_FLIT_VC${vc} count! none flits`);
    APXC_ROUTER.push(`RTR_${row}_${column}_INQ_PRF_ROWBUS_STALL_CNT count! none stalls`);
  }
}
for (let column = 0; column < 8; column++) {
  const port = `RTR_PT_5_${column}_INQ_PRF_`;
  for (const name of [
    "INCOMING_FLIT_VC0",
    "INCOMING_FLIT_VC4",
    "REQ_ROWBUS_STALL_CNT",
    "RSP_ROWBUS_STALL_CNT",
  ]) {
    APXC_ROUTER.push(`${port}${name} count! none ${name.startsWith("INC") ? "flits" : "stalls"}`);
  }
}

export const apxc = fixedModule({
  name: "APXC",
  kind: "headed",
  slots: [-1, 12, 13],
  version: 1,
  integers: [
    ...counters(
      "APXC_",
      `GROUP value none group of the router
      CHASSIS value none chassis of the router
      BLADE value none blade of the router
      NODE value none node of the router`,
    ),
    ...counters("APXC_AR_", APXC_ROUTER.join("\n")),
  ],
  reals: [],
  // Base, magic, blades, chassis, groups, memory mode, cluster mode, application id.
  header: { words: 9 },
  about: "network counters of Cray XC routers",
});
