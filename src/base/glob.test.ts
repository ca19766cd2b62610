import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NameFilter } from "./glob.ts";

/** Whether a name matches one pattern. */
function globMatcher(pattern: string): (name: string) => boolean {
  const filter = new NameFilter({ include: [pattern], exclude: [] });
  return (name) => filter.keeps(name);
}

describe("patterns on names", () => {
  it.each([
    ["*.py", "/a/b/c.py", true],
    ["*.py", "/a/b.py/c", false],
    ["*.py", "c.py", true],
    ["*.py", "c.pyc", false],
    ["/scratch/**", "/scratch/a/b", true],
    ["/scratch/**", "/home/scratch/a", false],
    ["/scratch/*", "/scratch/a/b", false],
    ["**/site-packages/**", "/usr/lib/site-packages/x/y.py", true],
    ["**/site-packages/**", "site-packages/y.py", true],
    ["**/site-packages/**", "/usr/my-site-packages/y.py", false],
    ["site-packages/*.py", "/usr/site-packages/y.py", true],
    ["site-packages/", "/usr/site-packages/x/y.py", true],
    ["/a/**/c", "/a/c", true],
    ["/a/**/c", "/a/b/d/c", true],
    ["out.?", "/x/out.1", true],
    ["out.?", "/x/outx1", false],
    ["rank[0-3].dat", "/x/rank2.dat", true],
    ["rank[!0-3].dat", "/x/rank2.dat", false],
    ["rank[!0-3].dat", "/x/rank/.dat", false],
    ["a[]]b", "a]b", true],
    ["a[3-1]b", "a2b", false],
    ["[ab", "[ab", true],
    ["*.{py,pyc}", "/x/a.pyc", true],
    ["*.{py,so{,.*}}", "/x/a.so.6", true],
    ["*.{py,so{,.*}}", "/x/a.so", true],
    ["{a}", "{a}", true],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
    ["(a+b)$^|.", "/x/(a+b)$^|.", true],
    ["<STDOUT>", "<STDOUT>", true],
    ["a\nb*", "a\nbc", true],
    ["é?😀", "éx😀", true],
    ["\\", "\\", true],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected);
  });

  it("refuses braces that stand for too many names", () => {
    expect(() => globMatcher("{a,b}".repeat(12))).toThrow("more than 1000 alternatives in braces");
  });

  it("agrees with a matcher that tries every way", () => {
    const token = fc.constantFrom("a", "b", "/", "*", "**", "?", ".", "**/", "{a,b}", "[ab]");
    const letter = fc.constantFrom("a", "b", "/", ".");
    fc.assert(
      fc.property(
        fc.array(token, { maxLength: 7 }),
        fc.array(letter, { maxLength: 9 }),
        (tokens, letters) => {
          const [pattern, path] = [tokens.join(""), letters.join("")];
          fc.pre(pattern !== "");
          expect(globMatcher(pattern)(path)).toBe(everyWay(pattern, path));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("takes any text as a pattern, and a name without special characters as itself", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string(),
        (pattern, path) => void globMatcher(pattern)(path),
      ),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[\w .+()$^|-]+$/), (name) => {
        expect(globMatcher(name)(`/some/where/${name}`)).toBe(true);
        expect(globMatcher(`/some/where/${name}`)(`/some/where/${name}`)).toBe(true);
        expect(globMatcher(name)(`/some/where/x${name}`)).toBe(false);
      }),
    );
  });
});

/** The definition once more, by trying all splits. */
function everyWay(pattern: string, path: string): boolean {
  const whole = pattern.endsWith("/") ? `${pattern}**` : pattern;
  const at = (p: string, s: string): boolean => {
    if (p === "") return s === "";
    if (p.startsWith("{a,b}")) return at(`a${p.slice(5)}`, s) || at(`b${p.slice(5)}`, s);
    if (p.startsWith("[ab]")) return /^[ab]/.test(s) && at(p.slice(4), s.slice(1));
    const stars = /^\*\*+(\/?)/.exec(p);
    if (stars !== null) {
      const rest = p.slice(stars[0].length);
      for (let n = 0; n <= s.length; n++)
        if ((stars[1] === "" || n === 0 || s[n - 1] === "/") && at(rest, s.slice(n))) return true;
      return false;
    }
    if (p[0] === "*") return at(p.slice(1), s) || (s !== "" && s[0] !== "/" && at(p, s.slice(1)));
    if (p[0] === "?") return s !== "" && s[0] !== "/" && at(p.slice(1), s.slice(1));
    return s[0] === p[0] && at(p.slice(1), s.slice(1));
  };
  if (whole.startsWith("/")) return at(whole, path);
  return [...path].some((letter, i) => letter === "/" && at(whole, path.slice(i + 1))) || at(whole, path);
}

describe("a filter of names", () => {
  const filter = (include: string[], exclude: string[] = []) => new NameFilter({ include, exclude });

  it("keeps what is included and not excluded", () => {
    const both = filter(["*.h5", "*.nc"], ["/tmp/**"]);
    expect(["/a.h5", "/b.nc", "/tmp/c.h5", "/d.py"].map((name) => both.keeps(name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(() => both.requireMatches()).not.toThrow();
    expect(filter([], ["*.py"]).keeps("/d.h5")).toBe(true);
  });

  it("says which pattern never matched, also when another one matched first", () => {
    const one = filter(["*.h5"], ["*.pz"]);
    one.keeps("/a.h5");
    expect(() => one.requireMatches()).toThrow("--exclude *.pz: no file name matches this pattern");
    const overlapping = filter(["*", "*.h5"]);
    overlapping.keeps("/a.h5");
    expect(() => overlapping.requireMatches()).not.toThrow();
  });

  it("refuses patterns that leave nothing, and empty ones", () => {
    const none = filter(["*.h5"], ["/a/**"]);
    none.keeps("/a/x.h5");
    expect(() => none.requireMatches()).toThrow("--include and --exclude together leave no file");
    expect(() => filter([""])).toThrow("--include is empty");
  });
});
