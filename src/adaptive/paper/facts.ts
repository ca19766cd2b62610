/** Rows that describe machines and experiments: computed from our own data, to reveal typing errors. */

import { PAPER_INTERFERENCE } from "../sim/experiments/series.ts";
import { HOURLY, IOR_SIZES, IOR_TARGETS, MPI_TARGETS, WRITERS } from "../sim/experiments/plans.ts";
import { type Check, fact, gbps, type Judgement, percent } from "./check.ts";

type Fact = Pick<Check, "row" | "place" | "claim" | "published" | "judge"> & { readonly tolerance?: string };

/** Cache of a target, and the data of 32 writers with 2 MB each. */
const CACHE_MB = 2048;
const SMALL_MB = 64;

const FACTS: readonly Fact[] = [
  {
    row: "J1",
    place: "I",
    claim: "Jaguar has 672 targets behind 60 GB/s, up to 90 with the best network layout",
    published: "672; 60 to 90 GB/s",
    judge: ({ machine }) => {
      const { targets, parameters } = machine("jaguar");
      const { networkRate } = parameters;
      const holds = targets === 672 && networkRate >= 60000 && networkRate <= 90000;
      return fact([targets, networkRate], `${targets}; ${gbps(networkRate)} GB/s`, holds);
    },
  },
  {
    row: "J2",
    place: "I",
    claim: "180 MB/s per target, 160 targets per file, so 28 GB/s per file",
    published: "28 GB/s",
    tolerance: "3 %",
    judge: ({ machine }) => {
      const { targetsPerFile, parameters } = machine("jaguar");
      const product = targetsPerFile * parameters.diskRate;
      return fact([product], `${gbps(product)} GB/s`, Math.abs(product / 28000 - 1) < 0.03);
    },
  },
  {
    row: "J3",
    place: "II",
    claim: "18,680 nodes of 12 cores are 224,160 cores",
    published: "224160",
    judge: () => fact([18680 * 12], String(18680 * 12), 18680 * 12 === 224160),
  },
  {
    row: "J4",
    place: "IV.A",
    claim: "32 writes of 2 MB never come close to the 2 GB cache of a target",
    published: "2048 MB",
    tolerance: "10 %",
    judge: ({ machine }) => {
      const { dirtyLimit } = machine("jaguar").parameters;
      const part = percent(SMALL_MB / dirtyLimit);
      const note = `the model lets a target take ${dirtyLimit.toFixed(0)} MB before writers wait for its disks; ${SMALL_MB} MB are ${part} of it`;
      const holds = Math.abs(dirtyLimit / CACHE_MB - 1) <= 0.1;
      return fact([SMALL_MB, dirtyLimit], `${dirtyLimit.toFixed(0)} MB`, holds, note);
    },
  },
  {
    row: "F0",
    place: "II",
    claim: "Franklin has 96 targets; tests use 80 writers",
    published: "96; 80",
    judge: ({ machine }) => {
      const values = [machine("franklin").targets, HOURLY[1].writers];
      return fact(values, values.join("; "), values[0] === 96 && values[1] === 80);
    },
  },
  {
    row: "X0",
    place: "II",
    claim: "XTP has 40 blades and 160 nodes of 12 cores; tests use 512 writers",
    published: "40; 1920 cores; 512",
    judge: ({ machine }) => {
      const values = [machine("xtp").targets, 160 * 12, HOURLY[3].writers];
      return fact(values, values.join("; "), values.join() === "40,1920,512");
    },
  },
  {
    row: "N1",
    place: "I",
    claim:
      "150,000 processes with 200 MB each are 3 TB every 30 minutes; within 5 % of the time that needs 35 GB/s",
    published: "3 TB; 35 GB/s",
    judge: (): Judgement => {
      const terabytes = (150000 * 200) / 1e6;
      const needed = (terabytes * 1000) / (0.05 * 1800);
      return {
        simulated: `${terabytes} TB; ${needed.toFixed(0)} GB/s`,
        values: [terabytes, needed],
        misfit: 0,
        verdict: "contradiction",
        note: "the product is 30 TB; 3 TB in 90 s are 33 GB/s, so 20 MB per process was meant",
      };
    },
  },
  {
    row: "I1",
    place: "II.1",
    claim: "IOR on 512 targets with 1 to 32 writers each, 1 to 1024 MB",
    published: "512; 1 to 32; 1 to 1024 MB",
    judge: () => {
      const ratios = WRITERS.map((writers) => writers / IOR_TARGETS);
      const values = [IOR_TARGETS, ratios[0]!, ratios.at(-1)!, IOR_SIZES[0], IOR_SIZES.at(-1)!];
      const [targets, few, many, low, high] = values;
      const simulated = `${targets}; ${few} to ${many}; ${low} to ${high} MB`;
      return fact(values, simulated, values.join() === "512,1,32,1,1024");
    },
  },
  {
    row: "A1",
    place: "III.B",
    claim: "at most 335 processes per sub-coordinator with 225,000 cores and 672 targets",
    published: "335",
    judge: () => {
      const most = Math.ceil(225000 / 672);
      return fact([most], String(most), most === 335);
    },
  },
  {
    row: "P0",
    place: "IV",
    claim: "MPI-IO writes to 160 targets, adaptive to 512; 512 to 16384 processes",
    published: "160; 512; 512 to 16384",
    judge: ({ machine }) => {
      const values = [MPI_TARGETS, IOR_TARGETS, WRITERS[0], WRITERS.at(-1)!];
      const holds = values.join() === "160,512,512,16384" && machine("jaguar").targetsPerFile === 160;
      return fact(values, `${values[0]}; ${values[1]}; ${values[2]} to ${values[3]}`, holds);
    },
  },
  {
    row: "P1",
    place: "IV",
    claim: "interference: three processes on each of 8 targets, 24 in all",
    published: "24",
    judge: () => {
      const all = PAPER_INTERFERENCE.targets * PAPER_INTERFERENCE.streams;
      return fact([all], String(all), all === 24);
    },
  },
];

export const MACHINE_FACTS: readonly Check[] = FACTS.map((one) => ({
  tolerance: "exact",
  ...one,
  id: one.row,
  method: "computed from the machine's data and the plan of experiments",
  weight: 0,
}));
