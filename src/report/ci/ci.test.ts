import { expect, it } from "vitest";
import type { Finding, Severity } from "../../model/index.ts";
import { type CiInput, junitText, sarifText } from "./index.ts";
import { sarifFaults } from "./test-kit.ts";

const HOSTILE = `/s/a b&<c>"d'\u0001\n]]>%\ud800é.h5`;
const finding = (id: string, severity: Severity): Finding => ({
  ...{ id, severity, title: id, advice: "Do & dare.", effect: "", confidence: "high", confidenceReason: "" },
  cost: { seconds: 1.5, shareOfRun: 0.1, basis: "estimated", atMost: true, model: "", within: null },
  statement: `Small <writes> in ${HOSTILE}`,
  evidence: { numbers: [], files: [{ fileId: "1", path: HOSTILE, note: "1 MB" }], filesTotal: 1, ranks: [] },
  threshold: [],
});
const input: CiInput = {
  rules: ["bad", "odd", "note", "quiet", "blind"].map((id) => ({
    id,
    title: `Title of ${id}`,
    meaning: "Costs.",
  })),
  findings: [finding("bad", "high"), finding("odd", "warn"), finding("note", "info")],
  unjudged: [{ id: "blind", missing: "DXT" }],
  ...{ source: "logs/run 1.darshan", version: "1.2.3", failOn: "warn" },
};

it("SARIF has what the schema requires of runs, rules and results", () => {
  const { $schema, version, runs } = JSON.parse(sarifText(input));
  expect([version, new URL($schema).protocol, runs.length]).toEqual(["2.1.0", "https:", 1]);
  const [{ tool, results, artifacts, invocations }] = runs;
  expect(tool.driver.name).toBe("Plimsoll");
  const ids = tool.driver.rules.map((rule: { id: string }) => rule.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const rule of tool.driver.rules) {
    expect(rule.shortDescription.text).not.toBe("");
    expect(() => new URL(rule.helpUri)).not.toThrow();
    expect(rule.name).toMatch(/^[A-Z]\w*$/);
  }
  expect(results.map((result: { level: string }) => result.level)).toEqual(["error", "warning", "note"]);
  for (const result of results) {
    expect(ids[result.ruleIndex]).toBe(result.ruleId);
    expect(result.message.text).toContain("Do & dare.");
    const uris = [...result.locations, ...result.relatedLocations].map(
      (l) => l.physicalLocation.artifactLocation.uri,
    );
    // RFC 3986: nothing but unreserved, reserved and percent-encoded characters.
    for (const uri of uris) expect(uri).toMatch(/^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-F]{2})+$/);
    expect(decodeURIComponent(new URL(uris[1]).pathname)).toBe(HOSTILE.replace("\ud800", "\ufffd"));
    expect(result.properties).toMatchObject({ costSeconds: 1.5, costAtMost: true });
  }
  expect(artifacts).toEqual([{ location: { uri: "logs/run%201.darshan" } }]);
  expect(invocations[0].toolConfigurationNotifications[0].associatedRule).toEqual({ id: "blind", index: 4 });
});

it("SARIF follows the rules of the official schema, whatever names hold", () => {
  expect(sarifFaults(JSON.parse(sarifText(input)))).toEqual([]);
  expect(sarifFaults(JSON.parse(sarifText({ ...input, findings: [], unjudged: [], source: "" })))).toEqual(
    [],
  );
});

it.each<[string, string, string, string]>([
  ["a name that the schema lacks", '"tool": {', '"colour": 1, "tool": {', "unknown name"],
  ["a message without text", '"text": "Small', '"markdown": "Small', "none of text, id"],
  ["a level of its own", '"level": "error"', '"level": "high"', "none or note or"],
  ["a blank in a URI", "run%201.darshan", "run 1.darshan", "no URI reference"],
  ["an address without a scheme", '"urn:plimsoll:rule:bad"', '"rules/bad"', "no URI"],
  ["a rule index below -1", '"ruleIndex": 0', '"ruleIndex": -2', "no integer from -1"],
  ["a run that may have failed", '"executionSuccessful": true', '"executionSuccessful": 1', "no boolean"],
])("the rules find %s", (_, sound, spoiled, fault) => {
  const text = sarifText(input);
  expect(text).toContain(sound);
  expect(sarifFaults(JSON.parse(text.replace(sound, spoiled))).join("\n")).toContain(fault);
});

interface Element {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly children: Element[];
  text: string;
}

/** A strict reader of the XML that JUnit files are made of; throws on anything that is not well formed. */
function readXml(source: string): Element {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!source.startsWith(head)) throw new Error("no declaration");
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u.test(source))
    throw new Error("character");
  const decode = (text: string) => {
    if (/&(?!(?:amp|lt|gt|quot|apos|#\d+);)|</.test(text)) throw new Error(`bare character in ${text}`);
    const names: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
    return text.replace(
      /&(#?\w+);/g,
      (_, name: string) => names[name] ?? String.fromCharCode(Number(name.slice(1))),
    );
  };
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let at = head.length;
  for (const match of source.matchAll(/<(\/?)([a-z-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g)) {
    const top = open.at(-1) as Element;
    top.text += decode(source.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] === "/") {
      if (open.pop()?.name !== match[2]) throw new Error(`${match[0]} closes another element`);
      continue;
    }
    const pairs = [...(match[3] ?? "").matchAll(/([\w-]+)="([^"]*)"/g)];
    const attributes = Object.fromEntries(pairs.map(([, name, value]) => [name, decode(value ?? "")]));
    if (Object.keys(attributes).length !== pairs.length) throw new Error("an attribute twice");
    const element = { name: match[2] as string, attributes, children: [], text: "" };
    top.children.push(element);
    if (match[4] !== "/") open.push(element);
  }
  if (open.length !== 1 || source.slice(at).trim() !== "" || root.children.length !== 1)
    throw new Error("no single root");
  return root.children[0] as Element;
}

it("JUnit is well-formed XML with a case per rule, whatever names hold", () => {
  const suites = readXml(junitText(input));
  const [suite] = suites.children as [Element];
  for (const { attributes } of [suites, suite])
    expect(attributes).toMatchObject({ tests: "5", failures: "2", errors: "0", skipped: "1" });
  const outcomes = suite.children.map(({ attributes, children }) => [
    attributes.name?.split(":")[0],
    children[0]?.name ?? "passed",
  ]);
  expect(outcomes).toEqual([
    ["bad", "failure"],
    ["odd", "failure"],
    ["note", "system-out"],
    ["quiet", "passed"],
    ["blind", "skipped"],
  ]);
  const failure = suite.children[0]?.children[0];
  const safe = HOSTILE.replace("\u0001", "\ufffd").replace("\ud800", "\ufffd");
  expect(failure?.attributes.message).toBe(`Small <writes> in ${safe}`);
  expect(failure?.text).toContain(safe);
});

it("only what --fail-on names is a failure", () => {
  const [suite] = readXml(junitText({ ...input, failOn: "high" })).children as [Element];
  expect(suite.attributes.failures).toBe("1");
});
