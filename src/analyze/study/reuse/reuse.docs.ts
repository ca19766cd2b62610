/** docs/study-reuse.md: the items of the study, their options, and how findings are judged. */
import { studyDocs } from "../common/study-docs.ts";
import { REUSE_STUDY } from "./document.ts";

export const path = "docs/study-reuse.md";

const INTRO = `# The study of file reuse

\`plimsoll study reuse --store S [-o DIR]\` runs the analyses of T. Patel et al., *Uncovering Access, Reuse, and Sharing
Characteristics of I/O-Intensive Files on Large-Scale Production HPC Systems* (FAST '20), on the logs of a store, prints each
number beside the published one, and judges the ten findings for this centre. Made by \`npm run docs\` from
\`src/analyze/study/reuse/\`; do not edit.

## What all items share

- **A run** is one log, **a file** a record id and its mount, **an access** one run on one file, **an application** the base
  name of the executable (or that and the user, with \`application exe-uid\`).
- **Bytes** are POSIX plus STDIO: MPI-IO, HDF5 and PnetCDF see the same data again. Sums are exact; beyond 2^53 they are
  strings in JSON. Thresholds are decimal: 100 GB is 100,000,000,000 bytes.
- **Selected files** moved at least \`minBytes\` in at least \`minRuns\` runs. From A04 on all items study these files and the
  runs that touch them. Every access counts as a run of the file, also one that moved no bytes.
- **Shares and coefficients of variation are fractions** in JSON and CSV (0.12, not 12). Standard deviations are those of the
  population unless \`ddof\` is 1. Quantiles interpolate linearly.
- **Left out and counted** under \`dropped\`: accesses on excluded mounts; runs outside the period; in items that need times, runs
  whose clock cannot be right (\`runs.clock\`); accesses without recorded bytes (missing is not zero). Accesses of incomplete
  modules count in sums (A01 to A04, A12, A14's bytes), which are then lower bounds, and in the number of applications; classes, sequences,
  means and variations leave them out.
- **Values have twelve digits.** The order in which threads add shows in the sixteenth.

Every result has \`definition\`, \`options\`, \`n\` (of \`unit\`), \`dropped\`, \`values\` and \`published\`. An item without data has NaN
(null in JSON) and the status "not enough data".

## Verdicts

A finding is one or more claims of the form "this number lies beyond that bound", put as weakly as the sentence of the paper
allows: "most files are both" is *more than half*, whatever the published 71 %. Intervals come from resampling the files
with replacement (the runs for findings 2 and 6), \`replicates\` times, from \`seed\`; with more than 3,000 files or 5,000 runs a
part chosen by hash is drawn from, and the interval is scaled by the root of the ratio and laid around the number of all.

The least over the most loaded OST (finding 7) is a ratio of extreme values. Chance drives extremes apart, so that the number
seen is smaller than the one in the long run, and resampling files makes it smaller still: percentiles of a bootstrap would
lie below the number itself. Its interval is made otherwise. The load of an OST is a sum of what single accesses moved; taking
them as a Poisson process, each sum has limits from the gamma distribution (M. P. Fay and E. J. Feuer, *Confidence intervals
for directly standardized rates*, Statistics in Medicine 16, 1997). The least load is at least the least of the lower limits,
for which one of them has to hold, and at most the least of the upper limits, for which all have to hold at once, so that
their error is divided by the number of OSTs (Bonferroni); so for the most. The interval holds the number, and covers the
long-run ratio with the given level or more, whatever the loads: tested for equal, spread and two-fold loads. Files stay where
they are, so that the second claim has the same interval over the ratio of the files.

A claim **holds** when the number and its
whole interval lie beyond the bound, **fails** when both lie short of it, else it is **open**. A finding is **confirmed** when all
claims hold, **refuted** when one fails, **insufficient** when one is open, cannot be measured, or there are fewer than 30 files
or runs (4 OSTs for finding 7). The report lists claims, bounds, and how the numbers move with thresholds.

## What is written with -o

\`report.html\` (one file), every figure as SVG and CSV, \`study.json\`, and tables for later use as CSV: \`files\` (class and predicted
next access of every selected file), \`files-to-compress\`, \`files-to-stage-in\`, \`files-to-replicate\`, \`ost-load\`, \`hot-osts\` (the
files behind the most active OSTs), \`hours\` (with those to avoid). A prediction is the last access plus the mean gap.

\`plimsoll file PATH --store S\` shows one file through time.

## Speed

All accesses are read three times, and only the columns that are needed: for the totals of each file, to pick the
accesses of the selected files, and for the census. The first and the last are aggregations in DuckDB, on all processors; files
that are not selected are counted by bins, and no table of all files is kept. The second is a join whose result comes out of the
database in narrow columns, as three streams, each of every third segment and in a thread of its own: an access is 48 bytes in one
buffer, side by side with the others of its file. Then each file is gone through once: its sequence is sorted, streaks, gaps, variations, hours, applications and
layouts are read off, all in the cache. Meanwhile another thread looks at the same buffer and groups the accesses by run, in parts
that fit in the cache; medians of runs are exact, though only the amounts around the middle are kept. While that ends, the database
makes the census, and beside it intervals and the items that need nothing else are computed.

\`--memory\` (2 GiB unless given) is divided: the limit of DuckDB is half of it up to 1 GiB, then 512 MiB, and from 2 GiB on a
quarter; the rest holds accesses, 33 million of them at 2 GiB. More are read in several passes, some files at a time, and each pass
reads the columns again. While files are totalled no access is held, so that DuckDB may take their part, as far as the number of
files needs it: 25 million files at 2 GiB. More are totalled in several passes too: to read three columns again is faster than to
spill to \`--temp\`, which remains for what was not foreseen. On top come the program,
DuckDB's own buffers, and about 150 bytes for each selected file. Memory is taken only as needed: with 17 million
accesses, half of them of selected files, the whole process takes 0.77 GB, with 5 million 0.4 GB, with 45 million 1.6 GB. Figures,
and paths but those of the files on hot OSTs, are looked up only for \`-o\`.

On two cores 51 million accesses in 64 million runs take 31 s and 1.9 GB when the store is in the page cache of the system; from a disk the
reading decides (36 to 120 s). \`npm run bench study\` measures the whole command against the same work in pandas,
value by value, both with their input in the page cache. On 17 million accesses it took 8.4 s (8.2 to 9.3) against 96.3 s, and later
9.9 s (9.2 to 12.6) against 107.2 s: 11.4 and 10.8 times as fast, in 0.77 GB against 7.9 GB. On 45 million, which take pandas 22 of 24 GiB, it took 26.1 s (23.6 to 31.5) against 368 s, of
which pandas waited 45 s for the disk; in another run 27.2 s against 269 s: 9.9 to 14.1 times as fast in 1.6 GB against 22 GB. The same
program may take a fifth more or less from one hour to the next on a machine that is shared.

`;

export const generate = (): string => `${INTRO}${studyDocs(REUSE_STUDY)}`;
