/** docs/study-reuse.md: the items of the study, their options, and how findings are judged. */
import { formatBytes } from "../../base/units.ts";
import { STUDY_ITEMS } from "./items.ts";
import { labelOf, unitOf } from "./labels.ts";
import { REUSE_OPTIONS } from "./options.ts";
import type { StudyItem } from "./item.ts";

export const path = "docs/study-reuse.md";

const INTRO = `# The study of file reuse

\`plimsoll study reuse --store S [-o DIR]\` runs the analyses of T. Patel et al., *Uncovering Access, Reuse, and Sharing
Characteristics of I/O-Intensive Files on Large-Scale Production HPC Systems* (FAST '20), on the logs of a store, prints each
number beside the published one, and judges the ten findings for this centre. Made by \`npm run docs\` from
\`src/analyze/reuse/\`; do not edit.

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
allows: "most files are both" is *more than half*, whatever the published 71 %. Intervals come from drawing the files anew
with replacement (the runs for findings 2 and 6), \`replicates\` times, from \`seed\`; with more than 20,000 files or runs a part
chosen by hash is drawn from, and the interval is scaled by the root of the ratio and laid around the number of all. The
least over the most loaded OST (F07) is drawn from all files; as drawing anew makes extremes more extreme, its interval lies
below the number itself when OSTs are many. A claim **holds** when the number and its
whole interval lie beyond the bound, **fails** when both lie short of it, else it is **open**. A finding is **confirmed** when all
claims hold, **refuted** when one fails, **insufficient** when one is open, cannot be measured, or there are fewer than 30 files
or runs (4 OSTs for finding 7). The report lists claims, bounds, and how the numbers move with thresholds.

## What is written with -o

\`report.html\` (one file), every figure as SVG and CSV, \`study.json\`, and tables for later use as CSV: \`files\` (class and predicted
next access of every selected file), \`files-to-compress\`, \`files-to-stage-in\`, \`files-to-replicate\`, \`ost-load\`, \`hot-osts\` (the
files behind the most active OSTs), \`hours\` (with those to avoid). A prediction is the last access plus the mean gap.

\`plimsoll file PATH --store S\` shows one file through time.

## Speed

Queries run in DuckDB within \`--memory\` and spill to \`--temp\`. All accesses are read three times: for the census, for the totals
of each file, and to pick the accesses of the selected files. All else works on those. Mean gaps need no sorting, since
successive differences add up to last minus first; streaks take one window over the selected accesses.

`;

export function generate(): string {
  return `${INTRO}${optionsSection()}\n${STUDY_ITEMS.map(itemSection).join("\n")}`;
}

function optionsSection(): string {
  const rows = Object.entries(REUSE_OPTIONS).map(([name, { default: value, choices, bytes, help }]) => {
    const shown = Array.isArray(value) ? value.join(" ") : bytes ? formatBytes(Number(value)) : String(value);
    const items = STUDY_ITEMS.filter(({ options }) => options.includes(name as never)).map(({ id }) => id);
    return `| \`${name}\` | ${shown || "all"} | ${cell(help)}${choices ? ` (${choices.join(", ")})` : ""} | ${items.join(" ")} |`;
  });
  return `## Options\n\nOn the command line with dashes: \`minBytes\` is \`--min-bytes\`.\n\n| option | default | meaning | items |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function itemSection({ id, definition, title, about, reading, published }: StudyItem): string {
  const rows = Object.entries(published).map(
    ([key, value]) => `| \`${key}\` | ${labelOf(key)} | ${String(value)} | ${unitOf(key)} |`,
  );
  const values =
    rows.length === 0
      ? ""
      : `\n| value | meaning | published | unit |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  return `## ${id}\n\n**${title}** (${definition}). ${about}\n\n${reading}\n${values}`;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
