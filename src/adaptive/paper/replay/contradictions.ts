/** Contradictions and misprints of the paper; numbers are computed, not copied. */
import type { Contradiction } from "../../../model/index.ts";
import { HOURLY } from "../../sim/experiments/plans.ts";
import type { Machine } from "../../sim/machines/index.ts";

export function contradictions(machine: (name: string) => Machine): Contradiction[] {
  const product = (150_000 * 200) / 1e6;
  const { targets, parameters } = machine("jaguar");
  const xtp = HOURLY[3];
  return [
    {
      place: "I",
      printed: "150,000 processes with 200 MB each are 3 TB every 30 minutes",
      found: `the product is ${product} TB; 3 TB in 5 % of 30 minutes are ${(3000 / 90).toFixed(0)} GB/s`,
      used: "the rate of 35 GB/s, consistent with 3 TB and 20 MB per process",
    },
    {
      place: "I",
      printed: "theoretical peak of about 60 GB/s",
      found: `${targets} targets of ${parameters.diskRate} MB/s are ${((targets * parameters.diskRate) / 1000).toFixed(0)} GB/s: the network is the limit, not the targets`,
      used: "both: a rate per target, and one of the network for all",
    },
    {
      place: "II.1",
      printed: "falls from 8912 to 16384 writers",
      found: "no test has 8912 writers; the series doubles from 512",
      used: "8192",
    },
    {
      place: "II.1",
      printed: "8 MB: the aggregate begins to decrease at 8192 writers; other sizes at 2048",
      found: "begins at could mean the peak is there, or that it is already lower there",
      used: "a peak at 4096 or 8192 (at 1024 or 2048 for other sizes) passes; text and relation allow both",
    },
    {
      place: "II.2, Table I",
      printed: "one process per storage target, 512 writers",
      found: `XTP has ${xtp.targets} blades: ${xtp.writers} writers are ${(xtp.writers / xtp.targets).toFixed(1)} per target`,
      used: `${xtp.writers} writers on ${xtp.targets} targets`,
    },
    {
      place: "Table I",
      printed: "a column named covariance",
      found: "its values are standard deviation over mean, the coefficient of variation",
      used: "the coefficient of variation",
    },
    {
      place: "II.2, Fig 3",
      printed: "hourly tests; yet test 2 took place 3 minutes after test 1",
      found: "the two cannot both be hourly tests of one series",
      used: "a second test on the same storage 180 s after the first began",
    },
  ];
}
