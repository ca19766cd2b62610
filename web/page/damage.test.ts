import { expect, it } from "vitest";
import { FormatError } from "../../src/base/errors.ts";
import { bytesSource } from "../../src/base/source.ts";
import { readHeader } from "../../src/formats/darshan/header.ts";
import { sampleLogs } from "../../src/generate/samples.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { placeOf, stretchesOf } from "./damage.ts";

const [{ bytes = new Uint8Array(0) } = {}] = sampleLogs(1, nodeEncoders);
const regions = readHeader(bytesSource(bytes)).modules.filter(({ region }) => region.length > 0);
const error = (offset: number | undefined) =>
  new FormatError("x", offset === undefined ? {} : { offset }, "damaged");

it("a log that was cut ends where the file does, of what its header names", () => {
  const cut = bytes.subarray(0, Math.floor(0.9 * bytes.length));
  // The reader meets the claim in the header first.
  const place = placeOf(error(272), bytesSource(cut));
  expect(place).toMatchObject({ byte: cut.length, of: bytes.length, isCut: true });
  expect(place?.parts.map(({ name }) => name)).toEqual(["job, names", ...regions.map(({ name }) => name)]);
  const stretches = stretchesOf(place as NonNullable<typeof place>);
  expect(stretches.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  expect(stretches.filter(({ isSound }) => !isSound).map(({ label }) => label)[0]).toBe("missing");
  expect(stretches.filter(({ isSound }) => isSound).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(
    cut.length / bytes.length,
  );
});

it("damage in a region has its byte and the region's name", () => {
  const { name = "", region = { offset: 0, length: 0 } } = regions.at(-1) ?? {};
  const byte = region.offset + (region.length >> 1);
  const place = placeOf(error(byte), bytesSource(bytes));
  expect(place).toMatchObject({ byte, of: bytes.length, isCut: false });
  expect(stretchesOf(place as NonNullable<typeof place>).map(({ label }) => label)).toContain(
    `${name} damaged`,
  );
});

it("a claim of the header, an error without a byte and a file without a header have no place", () => {
  expect(placeOf(error(272), bytesSource(bytes))).toBeUndefined();
  expect(placeOf(error(undefined), bytesSource(bytes))).toBeUndefined();
  expect(placeOf(error(100), bytesSource(new Uint8Array(50_000)))).toBeUndefined();
  expect(placeOf(error(bytes.length + 1), bytesSource(bytes))).toBeUndefined();
  // One region far behind the others is a wrong claim, not a cut.
  const wrong = bytes.slice();
  const at = 48 + 16 * (regions.at(-1)?.slot ?? 0);
  new DataView(wrong.buffer).setUint32(at + 4, 7, true);
  expect(placeOf(error(at), bytesSource(wrong))).toBeUndefined();
});

it("what is no log has a strip without names", () => {
  const place = placeOf(error(30_000), bytesSource(new Uint8Array(50_000)));
  expect(place).toEqual({ byte: 30_000, of: 50_000, isCut: false, parts: [] });
  expect(stretchesOf(place as NonNullable<typeof place>)).toEqual([
    { share: 0.6, isSound: true, label: "" },
    { share: 0.4, isSound: false, label: "damaged" },
  ]);
});
