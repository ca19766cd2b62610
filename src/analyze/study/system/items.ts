/** The items of the study: one line each, in the order of the paper. */
import { b01 } from "./b01-clusters.ts";
import { b02 } from "./b02-census.ts";
import { b03 } from "./b03-long-jobs.ts";
import { b04 } from "./b04-shape.ts";
import { b05 } from "./b05-users.ts";
import { b06 } from "./b06-writes.ts";
import { b07 } from "./b07-metadata.ts";
import { b08 } from "./b08-mdts.ts";
import { b09 } from "./b09-calendar.ts";
import { b10 } from "./b10-longest-job.ts";
import { b11 } from "./b11-top-user.ts";
import { b12 } from "./b12-share.ts";
import { b13 } from "./b13-periods.ts";
import { b14 } from "./b14-bursts.ts";
import { b15 } from "./b15-bursts-and-memory.ts";
import { b16 } from "./b16-burst-sizes.ts";
import { b17 } from "./b17-hours.ts";
import { b18 } from "./b18-rules.ts";
import { b19 } from "./b19-light-jobs.ts";
import type { StudyItem } from "./item.ts";

export const SYSTEM_ITEMS: readonly StudyItem[] = [
  ...[b01, b02, b03, b04, b05, b06, b07, b08, b09],
  ...[b10, b11, b12, b13, b14, b15, b16, b17, b18, b19],
];
