/** SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/): one run, a rule each, and a result per finding. */
import type { Finding, Severity } from "../../model/index.ts";
import type { CiInput, CiRule } from "./input.ts";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  high: "error",
  warn: "warning",
  info: "note",
};

export function sarifText({ rules, findings, unjudged, source, version }: CiInput): string {
  const indexOf = new Map(rules.map(({ id }, index) => [id, index]));
  const document = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "Plimsoll", version, semanticVersion: version, rules: rules.map(descriptor) },
        },
        invocations: [
          {
            executionSuccessful: true,
            toolConfigurationNotifications: unjudged.map(({ id, missing }) => ({
              level: "note",
              message: { text: whole(`${id} was not applied: ${missing}`) },
              associatedRule: { id, index: indexOf.get(id) ?? -1 },
            })),
          },
        ],
        artifacts: [{ location: { uri: uriOf(source) } }],
        results: findings.map((finding) => result(finding, indexOf.get(finding.id) ?? -1, source)),
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const descriptor = ({ id, title, meaning }: CiRule) => ({
  id,
  name: id.replace(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase()),
  shortDescription: { text: whole(title) },
  fullDescription: { text: whole(meaning) },
  help: { text: whole(`${meaning} All rules with thresholds: plimsoll findings --list`) },
  // The page of rules comes with the program (docs/analyses.md) and has no address of its own.
  helpUri: `urn:plimsoll:rule:${id}`,
});

function result(finding: Finding, ruleIndex: number, source: string) {
  const { id, severity, cost, statement, advice, effect, evidence, confidence } = finding;
  return {
    ruleId: id,
    ruleIndex,
    level: LEVELS[severity],
    message: { text: whole([statement, advice, effect].filter((text) => text !== "").join(" ")) },
    // Services that show results by file need a place: the input that was judged.
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(source), index: 0 } } }],
    relatedLocations: evidence.files.map(({ path, note }, index) => ({
      id: index + 1,
      message: { text: whole(note === "" ? path : `${path}: ${note}`) },
      physicalLocation: { artifactLocation: { uri: uriOf(path) } },
    })),
    partialFingerprints: { "plimsoll/v1": id },
    properties: {
      severity,
      costSeconds: cost.seconds,
      costShareOfRun: cost.shareOfRun,
      costBasis: cost.basis,
      costAtMost: cost.atMost,
      costWithin: cost.within,
      confidence,
    },
  };
}

/** A path as a reference: absolute ones with a scheme, whatever is in their names. */
function uriOf(path: string): string {
  const parts = whole(path).split("/").map(encodeURIComponent).join("/");
  if (parts.startsWith("/")) return `file://${parts}`;
  return parts === "" ? "." : parts;
}

/** A lone surrogate has no bytes in UTF-8. */
const whole = (text: string) => text.replace(/\p{Surrogate}/gu, "\ufffd");
