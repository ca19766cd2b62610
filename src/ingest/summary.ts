/** What an ingest came to, as the JSON of `plimsoll ingest`; and several, of slices, as one. */
import type { Skipped } from "../base/listener.ts";

/** Skipped inputs that are named one by one; the store keeps them all. */
export const SKIPPED_NAMED_MAX = 1000;

export interface IngestSummary {
  /** Inputs that were looked at. */
  readonly read: number;
  /** Stored now. */
  readonly new: number;
  /** Were in the store before, or were met twice. */
  readonly known: number;
  /** Files of unknown formats in folders. */
  readonly foreign: number;
  /** The first of them. */
  readonly skipped: readonly Skipped[];
  readonly skippedTotal: number;
  readonly seconds: number;
  readonly bytes: number;
}

export const isIngestSummary = (value: unknown): value is IngestSummary =>
  typeof (value as IngestSummary | undefined)?.read === "number";

/** Slices run side by side: the time is that of the slowest. */
export function joinedSummary(parts: readonly IngestSummary[]): IngestSummary {
  const sum = (of: (part: IngestSummary) => number) => parts.reduce((all, part) => all + of(part), 0);
  return {
    read: sum(({ read }) => read),
    new: sum((part) => part.new),
    known: sum(({ known }) => known),
    foreign: sum(({ foreign }) => foreign),
    skipped: parts.flatMap(({ skipped }) => skipped).slice(0, SKIPPED_NAMED_MAX),
    skippedTotal: sum(({ skippedTotal }) => skippedTotal),
    seconds: parts.reduce((most, { seconds }) => Math.max(most, seconds), 0),
    bytes: sum(({ bytes }) => bytes),
  };
}
