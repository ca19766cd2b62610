import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import { type CallBlock, type CallFile, type CallNote, type CallSink, noteText } from "../../model/calls.ts";
import { HEADER_BYTES, RECORD_BYTES } from "./layout.ts";
import { planTrace, readTracePart, TraceParts } from "./parts.ts";
import { trace } from "./reader.ts";
import { type MadeAccess, makeTrace, START_MONOTONIC as S } from "./test-kit.ts";

/** What a sink heard, as text. */
function listening(): {
  sink: CallSink;
  heard: { files: CallFile[]; notes: CallNote[]; rows: string[] };
} {
  const heard = { files: [] as CallFile[], notes: [] as CallNote[], rows: [] as string[] };
  const sink: CallSink = {
    clock: () => {},
    process: () => 0,
    file: (file) => heard.files.push(file) - 1,
    block: (block) => void heard.rows.push(...rowsOf(block, (file) => file)),
    note: (note) => void heard.notes.push({ ...note, text: noteText(note) }),
  };
  return { sink, heard };
}

const rowsOf = (block: CallBlock, fileOf: (file: number) => number) =>
  Array.from({ length: block.count }, (_, i) =>
    [block.startNs, block.endNs, block.bytes, block.movedBytes ?? [], block.flags]
      .map((column) => column[i])
      .concat(fileOf(block.file[i] as number))
      .join(" "),
  );

/** Traces one after the other, so that names, short accesses and records of other kinds stand anywhere. */
function joined(
  pieces: readonly { names: Record<number, string>; accesses: readonly MadeAccess[] }[],
  little: boolean,
) {
  const made = pieces.map((piece) => makeTrace({ ...piece, little }).subarray(HEADER_BYTES));
  const length = made.reduce((sum, one) => sum + one.length, 0);
  const bytes = new Uint8Array(HEADER_BYTES + length);
  bytes.set(makeTrace({ little, count: length / RECORD_BYTES + 2 }).subarray(0, HEADER_BYTES));
  let at = HEADER_BYTES;
  for (const one of made) {
    bytes.set(one, at);
    at += one.length;
  }
  return bytes;
}

const access = fc.record(
  {
    kind: fc.constantFrom(0, 1, 2, 17, 35, 64, 65, 99),
    flags: fc.constantFrom(0, 1, 2, 4, 16, 64),
    file: fc.integer({ min: 0, max: 3 }),
    bytes: fc.integer({ min: 0, max: 100 }),
    moved: fc.integer({ min: 0, max: 9 }),
    start: fc.integer({ min: 0, max: 99 }).map((ns) => S + BigInt(ns)),
    end: fc.integer({ min: 100, max: 200 }).map((ns) => S + BigInt(ns)),
  },
  { requiredKeys: ["bytes", "start", "end"] },
);
const name = fc.constantFrom(
  "/a",
  "/b/with/a/name/that/takes/more/than/one/record/and/then/some",
  "/c".repeat(99),
);
const piece = fc.record({
  names: fc.dictionary(fc.constantFrom("1", "2", "3"), name, { maxKeys: 2 }),
  accesses: fc.array(access as fc.Arbitrary<MadeAccess>, { maxLength: 6 }),
});

describe("a trace in parts", () => {
  it("says the same as in one go, wherever it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (pieces, records, little) => {
          const source = bytesSource(joined(pieces, little), "t");
          const whole = listening();
          trace.calls(source, whole.sink);
          const plan = planTrace(source, records);
          if (plan === undefined) {
            expect(source.byteLength).toBeLessThan(HEADER_BYTES + records * RECORD_BYTES);
            return;
          }
          const { sink, heard } = listening();
          const parts = new TraceParts(plan, sink);
          // Read from the last to the first, as if by many threads.
          const read = plan.parts.toReversed().map((range) => {
            const rows: ((fileOf: (file: number) => number) => string[])[] = [];
            const facts = readTracePart(source, plan.header, range, (block) => {
              const copy = structuredClone(block);
              rows.push((fileOf) => rowsOf(copy, fileOf));
            });
            return { facts: structuredClone(facts), rows };
          });
          for (const { facts, rows } of read.toReversed()) {
            const numbers = parts.add(facts);
            for (const one of rows) heard.rows.push(...one((file) => numbers[file] as number));
          }
          parts.end();
          expect(heard).toEqual(whole.heard);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is no plan for other files and short traces", () => {
    expect(planTrace(bytesSource(new Uint8Array(9000), "t"), 1)).toBeUndefined();
    expect(planTrace(bytesSource(makeTrace({}), "t"), 1)).toBeUndefined();
  });
});
