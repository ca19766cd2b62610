/** The items of the study: one line each, in the order of the paper. */
import { a01 } from "./a01-census.ts";
import { a02 } from "./a02-data-per-file.ts";
import { a03 } from "./a03-selection.ts";
import { a04 } from "./a04-selected-census.ts";
import { a05 } from "./a05-file-classes.ts";
import { a06 } from "./a06-one-sided-runs.ts";
import { a07 } from "./a07-sequences.ts";
import { a08 } from "./a08-inter-arrival.ts";
import { a09 } from "./a09-streaks.ts";
import { a10 } from "./a10-sharing.ts";
import { a11 } from "./a11-data-per-run.ts";
import { a12 } from "./a12-osts.ts";
import { a13 } from "./a13-interfaces.ts";
import { a14 } from "./a14-hours.ts";
import { a15 } from "./a15-variation.ts";
import { a16 } from "./a16-side-facts.ts";
import { a17 } from "./a17-classes-and-runs.ts";
import { a18 } from "./a18-gaps-and-run-times.ts";
import { a19 } from "./a19-producers-and-consumers.ts";
import { a20 } from "./a20-machine.ts";
import type { StudyItem } from "./item.ts";

export const STUDY_ITEMS: readonly StudyItem[] = [
  ...[a01, a02, a03, a04, a05, a06, a07, a08],
  ...[a09, a10, a11, a12, a13, a14, a15, a16],
  ...[a17, a18, a19, a20],
];
