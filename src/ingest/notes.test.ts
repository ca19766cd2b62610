import { expect, it } from "vitest";
import { count, mergeNotes, NotesLedger, newNotes } from "./notes.ts";

it("what was counted for a batch can be taken back, also what was told", async () => {
  const ledger = new NotesLedger();
  const all = newNotes();
  const tell = () => mergeNotes(all, ledger.take());
  count(ledger.notes.counts, "rows", 5);
  tell();
  ledger.settle();
  count(ledger.notes.counts, "rows", 2);
  count(ledger.notes.dropped, "ping");
  tell();
  count(ledger.notes.counts, "rows", 1);
  ledger.takeBack();
  count(ledger.notes.counts, "rows", 1);
  await ledger.without(async () => count(ledger.notes.counts, "rows", 100));
  tell();
  expect(all).toMatchObject({ counts: { rows: 6 }, dropped: {} });
  expect(Object.keys(all.dropped)).toEqual([]);
});
