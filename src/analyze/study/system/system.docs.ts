/** docs/study-system.md: the items of the study, their options, and how observations are judged. */
import { studyDocs } from "../common/study-docs.ts";
import { SYSTEM_STUDY } from "./document.ts";

export const path = "docs/study-system.md";

const INTRO = `# The study of a system

\`plimsoll study system --store S [-o DIR]\` runs the analyses of A. K. Paul et al., *Understanding HPC Application I/O Behavior
Using System Level Statistics* (2020), on the jobs of a store and their per-minute server counters, prints each
number beside the published one, and judges the observations of the paper for this system. Made by \`npm run docs\` from
\`src/analyze/study/system/\`; do not edit.

## What all items share

- **A job** is one run of a job id, as the view \`job_totals\` has it. **Counters** are those of its clients; a job has them when bytes
  read and written are both recorded. **A user** is a user number. A name without one is the user of the only number that other jobs have with it, and else a user of its own.
  Jobs without one are left out, and counted under \`dropped\`, in items about users (B05, users of B06, B11, groups of B17).
- **Studied** are jobs of the chosen cluster and period that are shorter than \`maxHours\` and whose times are plausible (from 1971 to
  2200, the end not before the start). Others are counted under \`dropped\` of B02. A job without counters never counts as a job without I/O.
- **Minutes** are sums over targets of the server counters of a job in a minute. A job runs from the minute of its start to that of its
  end, both included. A minute belongs to the last run of its id that has begun by then; samples up to \`lateMinutes\` after the end count in
  the last minute, and what lies outside is left out and counted. Ids with minutes that no job has run as long as they are seen; they count
  in items that need neither run time nor memory (B13, B16), and in no item with \`--cluster\`. [\`plimsoll job\`](load.md#one-job) counts by the same rules.
- **Shares are fractions** in JSON and CSV (0.12, not 12). Sums of bytes are exact; beyond 2^53 they are strings in JSON. Sizes are
  decimal: 1 KB is 1000 bytes. Medians and quantiles interpolate. **Values have twelve digits.**
- **With several clusters** in one store values are of all of them together, and those of B02, B04 and B06 that the paper has of each cluster also of each for itself (\`clusters\` in JSON); tables II and III, the classes of writes and figures 2 to 4 and 6 to 8 have each for itself, and \`--cluster\` takes one.
  The same number on two clusters is two jobs: minutes go to the cluster that they name, else to the one whose job ran then; what fits
  neither is left out and counted (B02).

Every result has \`definition\`, \`options\`, \`n\` (of \`unit\`), \`dropped\`, \`values\` and \`published\` (by cluster of the paper). An item without
data has NaN (null in JSON) and the status "not enough data".

## Verdicts

An observation is one or more claims of the form "this number lies beyond that bound", put as weakly as the sentence of the paper
allows: "most" is *more than half*, whatever the published number. Where a sentence gives no bound ("very significant", "no trend") the
bound is ours and printed: a tenth of the spread for weekdays, a tenth of a day for the longest job, a quarter for the top user, a Gini
coefficient of 0.2 for the opens of MDTs. Intervals come from resampling jobs, users, days or groups of similar jobs with replacement, \`replicates\` times, from
\`seed\`; of more than 3,000 a part chosen by hash is drawn from, and the interval is scaled by the root of the ratio and laid around the number
of all. Limits of classes are kept as they are. Number and interval come from one estimator, as in
the [study of file reuse](study-reuse.md#verdicts), and the row of a verdict shows the claim that decided it. The weekday effect is drawn at most 400 times.

A claim **holds** when the number and its whole interval lie beyond the bound, **fails** when both lie short of it, else it is **open**. An
observation is **confirmed** when all claims hold, **refuted** when one fails, **insufficient** when one is open, cannot be measured, or there are
fewer than 30 jobs or users, 21 days, 10 groups of similar jobs, or 2 MDTs. A recommendation (B18) needs the claim that it rests on to hold with its
whole interval: there is no advice from what could not be judged.

Users are classed by their bytes over their calls. The sum of the ratios of their jobs (\`--user-per-call sumOfRatios\`), by which the paper's
Table III has users with gigabytes per call, makes most users with many jobs efficient. Heavy and efficient are one definition with
[\`plimsoll job\`](load.md), which takes the limits of the job's cluster, and hours of contention are one with \`plimsoll quiet-hours\`.
Hours, days and dates are in the zone that the store's runs and jobs name (\`plimsoll ingest --zone\`), else in UTC; figures say which.

## What is written with -o

\`report.html\` (one file), figures 2 to 14 as SVG and CSV, \`study.json\`, and tables as CSV: \`table-1-clusters\`,
\`table-2-duration-and-nodes\`, \`table-3-writes\`, \`write-classes\` (every reading of the paper), \`users\`, \`metadata-correlations\`, \`mdts\`, \`weekdays\`,
\`top-users\`, \`burst-gaps\`, \`hours\`, \`recommendations\`. The report lists what does not add up in the paper.

Calendars have bars of sums beside them; for shares (figures 7 and 8) these only help to compare rows and columns.

## Speed

Minutes are read once: DuckDB adds up the targets of each job and minute, sorts by job, and hands the result over in narrow columns; each
job is gone through once, in the cache. Jobs are read once into columns of about 150 bytes a job; all items of jobs are passes over these.
Metadata targets are a third, narrow pass. \`--memory\` (1 GiB unless given) is the limit of DuckDB, which spills to \`--temp\`.
4.27 million jobs with 82 million rows of minutes take 30 s of processor time and 1.7 GB. Where scheduler and clients describe the same
jobs, the merged rows are made first, in the memory of DuckDB.

`;

export const generate = (): string => `${INTRO}${studyDocs(SYSTEM_STUDY)}`;
