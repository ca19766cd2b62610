/** Definitions of the figures and numbers of a report on one job. An id with its version never changes meaning. */

interface Definition {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export const DEFINITIONS = {
  bytes: {
    id: "J01@1",
    title: "Bytes read and written",
    text: "Sum over all files of POSIX, STDIO, DFS and DAOS bytes, but not of DAOS objects below DFS. MPI-IO, HDF5 and PnetCDF bytes are views of the same data and are not added; MPI-IO counts if nothing below it was recorded.",
  },
  share: {
    id: "J02@1",
    title: "I/O share of the run time",
    text: "Time in reads, writes and metadata operations of the layer that the application calls (MPI-IO if a file has such a record, otherwise POSIX, STDIO, DFS, DAOS). Average: the sum over all ranks / ranks / run time. Slowest: the rank with the most time in its private files, plus the time of the slowest rank of each shared file, at most the run time.",
  },
  throughput: {
    id: "J03@1",
    title: "Estimated throughput",
    text: "(bytes read + bytes written) / I/O time of the slowest rank (J02). It is an estimate; idle time between calls does not count.",
  },
  heat: {
    id: "J04@1",
    title: "Ranks over time",
    text: "Bytes in each cell of ranks × time, as a heat map counts them, or from traces with the bytes of a call spread evenly over its duration. The bars on top are sums over ranks, those on the right sums over time.",
  },
  sizes: {
    id: "J05@1",
    title: "Access sizes",
    text: "Calls in ten size classes; 1 KiB is 1024 bytes and upper bounds are inclusive. MPI-IO counts what the datatype describes.",
  },
  cost: {
    id: "J06@1",
    title: "Cost per layer",
    text: "Average: time summed over ranks / ranks. Slowest: the rank with the most time in its private files, plus the slowest rank of each shared file. Times of upper layers contain those of the layers below.",
  },
  counts: {
    id: "J07@1",
    title: "Operations",
    text: "Calls of each kind, over all files and ranks.",
  },
  osts: {
    id: "J08@1",
    title: "Load of storage targets",
    text: "Bytes and call time per OST. From traces: each call's bytes go to the OSTs of the stripes that it covers, its time in proportion. Otherwise each file's bytes and time are spread evenly over the stripes that it reached.",
  },
  metrics: {
    id: "C02@1 C03@1 C04@1",
    title: "BPS, IOPS, bandwidth, ARPT",
    text: "T is the time with at least one call in progress (overlap counts once, idle time not at all). BPS = bytes / 512 / T, IOPS = calls / T, bandwidth = bytes / T, ARPT = mean duration of a call. Bytes are those that a call moved if the trace has them, otherwise those requested. He, Sun, Yin: BPS, IPDPSW 2013.",
  },
  patterns: {
    id: "J09@1",
    title: "Groups of files",
    text: "Files whose names are equal after replacing every run of digits, and every hexadecimal word of eight or more characters, by #.",
  },
  mpi: {
    id: "J10@1",
    title: "Time in MPI calls",
    text: "Time in MPI calls other than MPI-IO, as AutoPerf (APMPI) counts it per rank and call. Share: mean over ranks / run time. Spread: the slowest rank / the mean. Sync time: waiting for the other ranks before a collective, if the recorder was set to measure it.",
  },
} as const satisfies Record<string, Definition>;
