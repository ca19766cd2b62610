/** The observations of the paper as claims: "this number lies beyond that bound", put as weakly as its sentences allow. */
import type { Draft } from "../common/judge.ts";
import type { Make } from "./observations/draft.ts";
import { jobDrafts } from "./observations/jobs.ts";
import { seriesDrafts } from "./observations/series.ts";
import { dayDrafts, targetDrafts } from "./observations/traffic.ts";

const PARTS: readonly Make[] = [jobDrafts, targetDrafts, dayDrafts, seriesDrafts];

export const observations = (...given: Parameters<Make>): Draft[] => PARTS.flatMap((part) => part(...given));
