import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvField, csvFields, csvRow, csvText } from "./csv.ts";

describe("a field of CSV", () => {
  it("has whole numbers with all digits and others with 15", () => {
    const values = [16777215.999999998, 0.1 + 0.2, 1 / 3, -5, 2 ** 53 - 1, 2n ** 64n - 1n, 1e21, 0];
    expect(values.map(csvField)).toEqual([
      "16777216",
      "0.3",
      "0.333333333333333",
      "-5",
      "9007199254740991",
      "18446744073709551615",
      "1e+21",
      "0",
    ]);
  });

  it("is empty where nothing is known, and quoted where the text is empty", () => {
    expect(csvRow([null, undefined, Number.NaN, "", true])).toBe(',,,"",true');
  });

  it.each([
    ["=1+1", "'=1+1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
    ["-2+3", "'-2+3"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", `"'\t=1"`],
    ["-check", "'-check"],
    ["-5", "-5"],
    ["+3.5e-4", "+3.5e-4"],
    ["-.5", "-.5"],
    ["-", "-"],
    ["a=b", "a=b"],
    ["/scratch/-x", "/scratch/-x"],
  ])("takes %j as text or as a number, never as a formula", (text, field) => {
    expect(csvField(text)).toBe(field);
  });

  it("is quoted where it would be cut", () => {
    expect(['a"b', "a,b", "a;b", "a\nb", " a", "a "].map(csvField)).toEqual([
      '"a""b"',
      '"a,b"',
      '"a;b"',
      '"a\nb"',
      '" a"',
      '"a "',
    ]);
    expect(csvField("\ud800")).toBe("\ufffd");
    expect(
      csvText([
        ["a", "b"],
        [1, "x"],
      ]),
    ).toBe("a,b\r\n1,x\r\n");
  });
});

describe("fields of a row", () => {
  it("are read as they were written", () => {
    const text = fc.string({ unit: fc.constantFrom("a", '"', ",", " "), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        const quoted = texts.map((value) => `"${value.replaceAll('"', '""')}"`);
        expect(csvFields(quoted.join(","))).toEqual(texts);
        expect(csvFields(quoted.join(" , "))).toEqual(texts);
      }),
    );
    expect(csvFields('a, b,"",')).toEqual(["a", " b", "", ""]);
  });

  it.each(['"open', 'a,"b"c', '"a","'])("%j is broken", (line) => {
    expect(csvFields(line)).toBeUndefined();
  });
});
