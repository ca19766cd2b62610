/**
 * JUnit XML as CI systems read it: a test case per rule. A finding that counts is a failure, a rule that could not be
 * applied is skipped, and any other finding is text of a case that passed.
 */
import { type Finding, isAtLeast } from "../../model/index.ts";
import type { CiInput, CiRule } from "./input.ts";

export function junitText({ rules, findings, unjudged, source, failOn }: CiInput): string {
  const isFailure = ({ severity }: Finding) => isAtLeast(severity, failOn);
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const missing = new Map(unjudged.map(({ id, missing: what }) => [id, what]));
  const failures = findings.filter(isFailure).length;
  const counts = attributes({ tests: rules.length, failures, errors: 0, skipped: missing.size });
  const testCase = ({ id, title }: CiRule): string[] => {
    const head = `<testcase${attributes({ classname: "plimsoll.findings", name: `${id}: ${title}`, time: 0 })}`;
    const skipped = missing.get(id);
    if (skipped !== undefined)
      return [`    ${head}>`, `      <skipped${attributes({ message: skipped })}/>`, "    </testcase>"];
    const finding = byId.get(id);
    if (finding === undefined) return [`    ${head}/>`];
    return [`    ${head}>`, `      ${outcome(finding, isFailure(finding))}`, "    </testcase>"];
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "plimsoll findings" })}${counts}>`,
    `  <testsuite${attributes({ name: source })}${counts}>`,
    ...rules.flatMap(testCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function outcome(finding: Finding, isFailure: boolean): string {
  const { severity, statement, advice, effect, evidence } = finding;
  const files = evidence.files.map(({ path, note }) => `  ${path}${note === "" ? "" : `: ${note}`}`);
  const text = escaped([statement, advice, effect, ...files].filter((line) => line !== "").join("\n"));
  return isFailure
    ? `<failure${attributes({ type: severity, message: statement })}>${text}</failure>`
    : `<system-out>${text}</system-out>`;
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escaped(String(value)).replace(/[\t\n\r]/g, (c) => `&#${c.charCodeAt(0)};`)}"`,
    )
    .join("");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** What XML 1.0 cannot hold, such as most control characters, stands as U+FFFD. */
const escaped = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
