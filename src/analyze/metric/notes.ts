/** Notes and warnings: those of the input readers and those of the collection. */
import { formatCount, formatMany } from "../../base/units.ts";
import { type CallNote, joinedNotes, noteText } from "../../model/index.ts";
import type { Collection } from "./collector.ts";
import type { CollectionNote } from "./metrics.ts";
import type { MovedRule } from "./moved.ts";

/** A reader's note about an input. */
export interface InputNote extends CallNote {
  readonly input: string;
}

export function notesOf(collection: Collection, rule: MovedRule): CollectionNote[] {
  const told = joinedNotes(collection.notes, ({ input }) => input).map((note) => ({
    ...{ id: note.id, count: note.count, text: noteText(note), input: note.input },
  }));
  return [...told, ...clockNotes(collection), ...ownNotes(collection, rule)];
}

function clockNotes({ clocks, inputs, options }: Collection): CollectionNote[] {
  const used = new Set(clocks.sources.filter((source) => source.used).map(({ input }) => input));
  if (options.align === "start" && inputs.length > 1)
    return [
      {
        id: "aligned",
        count: used.size,
        text: "Each input begins at 0, although they were not recorded at the same time: T and concurrency across inputs are those of a simultaneous run.",
      },
    ];
  if (used.size > 1 && clocks.kind === "own")
    return [
      {
        id: "one-clock-assumed",
        count: used.size,
        text: `${formatCount(used.size)} inputs count from an unknown start; they are assumed to share one clock.`,
      },
    ];
  return [];
}

function ownNotes({ counts, duplicates }: Collection, rule: MovedRule): CollectionNote[] {
  const notes: CollectionNote[] = [];
  const note = (id: string, count: number, text: string) => {
    if (count > 0) notes.push({ id, count, text });
  };
  const again = Math.round(duplicates.found);
  const about = duplicates.sampled > 1 ? `About ${formatCount(again)} (by a sample)` : formatCount(again);
  note(
    "duplicates",
    again,
    `${about} ${again === 1 ? "access equals" : "accesses equal"} an earlier one in process, start, end, size and offset; they are counted. Check whether an input, or a part of it, was passed twice.`,
  );
  if (rule.unknown < counts.accesses)
    note(
      "moved-unknown",
      rule.unknown,
      `${formatMany(rule.unknown, "access does", "accesses do")} not say how many bytes were moved, so the bandwidth is of the requested bytes.`,
    );
  note(
    "moved-stands-in",
    rule.stoodIn,
    `${formatMany(rule.stoodIn, "access", "accesses")} had no other access inside: requested bytes count as moved.`,
  );
  return notes;
}
