import { expect, it } from "vitest";
import { nodeHost } from "../node.ts";
import { findInputs } from "./files.ts";

const of = (name: string) => new URL(`../../../test/fixtures/accesses/${name}`, import.meta.url).pathname;
const [lat, clat, other] = ["mixed_lat.1.log", "mixed_clat.1.log", "plain_lat.1.log"].map(of) as [
  string,
  string,
  string,
];

function found(words: readonly string[]) {
  const notes: string[] = [];
  const inputs = findInputs(words, ["calls"], nodeHost, { note: (text) => notes.push(text) });
  return { paths: inputs.map(({ path }) => path), notes };
}

it("takes one of the latency logs that fio writes of a job, and says so", () => {
  expect(found([clat, lat, other])).toEqual({
    paths: [lat, other],
    notes: [`${clat} has the calls of ${lat}; they count once`],
  });
  expect(found([of("")]).paths).not.toContain(clat);
});

it("reads a latency log that is named alone", () => {
  expect(found([clat])).toEqual({ paths: [clat], notes: [] });
});
