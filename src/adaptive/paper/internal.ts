/** Internal interference: Fig 1, and IOR on XTP. */

import { IOR_SIZES, IOR_TARGETS, WRITERS } from "../sim/experiments/plans.ts";
import { type Check, type Evidence, gbps, judged, offLess, offRange, percent, worst } from "./check.ts";

const PLACE = "II.1, Fig 1a";
const METHOD = "IOR with a file per process on 512 targets of Jaguar; mean aggregate bandwidth over samples";
const LARGE = IOR_SIZES.filter((size) => size >= 128);
/** Means of neighbouring points that differ by less count as equal. */
const FLAT = 0.02;

const ior = (sizeMb: number, writers: number) =>
  ({
    machine: "jaguar",
    method: "posix",
    sizeMb,
    writers,
    targets: IOR_TARGETS,
    interference: false,
    twoJobs: false,
    hourly: false,
  }) as const;

const aggregates = (evidence: Evidence, sizeMb: number): number[] =>
  WRITERS.map((writers) => evidence.bandwidth(ior(sizeMb, writers)));

const row = (values: readonly number[]): string => `${values.map(gbps).join(", ")} GB/s`;

export const INTERNAL: readonly Check[] = [
  {
    id: "I2",
    row: "I2",
    place: "II.1, Fig 1b",
    claim: "bandwidth per writer falls with every doubling of writers",
    published: "falls",
    tolerance: "at every step and size",
    method: "mean over writers of their own bandwidth, mean over samples",
    weight: 1,
    judge: (evidence) => {
      const rows = IOR_SIZES.map((size) =>
        WRITERS.map((writers) => evidence.writerBandwidth(ior(size, writers))),
      );
      const steps = rows.flatMap((one) => one.slice(1).map((value, i) => offLess(value, one[i]!, FLAT)));
      const ends = rows.map(
        (one, i) => `${IOR_SIZES[i]} MB ${one[0]!.toFixed(1)} to ${one.at(-1)!.toFixed(2)}`,
      );
      return judged(rows.flat(), `${ends.join(", ")} MB/s`, worst(steps));
    },
  },
  {
    id: "I3",
    row: "I3",
    place: PLACE,
    claim: "1 MB: the aggregate does not fall (caches)",
    published: "no fall",
    tolerance: "no step down by more than 2 %",
    method: METHOD,
    weight: 1,
    judge: (evidence) => {
      const values = aggregates(evidence, 1);
      const steps = values.slice(1).map((value, i) => offLess(values[i]! * (1 - FLAT), value, FLAT));
      return judged(values, row(values), worst(steps));
    },
  },
  {
    id: "I4",
    row: "I4",
    place: PLACE,
    claim: "8 MB: rises to a peak, then falls from 8192 writers (16:1) on",
    published: "peak at 4096 or 8192, less at 16384",
    tolerance: "position of the peak",
    method: METHOD,
    weight: 1,
    judge: (evidence) => {
      const values = aggregates(evidence, 8);
      const peak = Math.max(values[3]!, values[4]!);
      const before = values.slice(0, 3).map((value) => offLess(value, peak, FLAT));
      return judged(values, row(values), worst([...before, offLess(values[5]!, peak, 0.05)]));
    },
  },
  ...LARGE.map(
    (size): Check => ({
      id: `I5 ${size}MB`,
      row: "I5",
      place: PLACE,
      claim: `${size} MB: falls from 2048 writers (4:1) on`,
      published: "peak at 1024 or 2048, then falling",
      tolerance: "every step from 2048 on",
      method: METHOD,
      weight: 0.7,
      judge: (evidence) => {
        const values = aggregates(evidence, size);
        const steps = values.slice(3).map((value, i) => offLess(value, values[i + 2]!, FLAT));
        const rise = offLess(values[0]!, Math.max(values[1]!, values[2]!), FLAT);
        return judged(values, row(values), worst([...steps, rise]));
      },
    }),
  ),
  ...LARGE.map(
    (size): Check => ({
      id: `I6 ${size}MB`,
      row: "I6",
      place: PLACE,
      claim: `${size} MB: falls by 16 to 28 % from 8192 (printed 8912) to 16384 writers`,
      published: "-16 % to -28 %",
      tolerance: "within the range",
      method: METHOD,
      weight: 1,
      judge: (evidence) => {
        const values = aggregates(evidence, size);
        const kept = values[5]! / values[4]!;
        // Half a tolerance inside the range the misfit is 0; the ends are the limit.
        const misfit = worst([1 + (kept - 0.84) / 0.03, 1 + (0.72 - kept) / 0.03, 0]);
        return judged([kept - 1], percent(kept - 1), misfit);
      },
    }),
  ),
  ...[512, 1024].map(
    (size): Check => ({
      id: `I7 ${size}MB`,
      row: "I7",
      place: "II.1",
      claim: `XTP, ${size} MB: falls by less than 5 % from 512 to 1024 writers`,
      published: "0 to -5 %",
      tolerance: "within the range, 1 % at its upper end",
      method: "IOR on XTP's 40 blades, mean over samples",
      weight: 1,
      judge: (evidence) => {
        const xtp = (writers: number) =>
          evidence.bandwidth({ ...ior(size, writers), machine: "xtp", targets: 40 });
        const kept = xtp(1024) / xtp(512);
        // The limit is 1 % below the lower end.
        return judged([kept - 1], percent(kept - 1), offRange(kept, 0.95 / 0.99, 1, 0.01));
      },
    }),
  ),
];
