/**
 * What the schema of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/) asks of the objects that we write: which names an object
 * may have, which it must have, and what stands under each. The schema allows no other names, and so does this table; parts of
 * SARIF that we do not write are missing here and would be told as unknown names.
 */
type Check = (value: unknown, place: string) => string[];

interface Shape {
  readonly required?: readonly string[];
  /** At least one of them. */
  readonly oneOf?: readonly string[];
  readonly names: Readonly<Record<string, Check>>;
}

/** Faults of a document with their places; none when it follows the rules. */
export function sarifFaults(document: unknown): string[] {
  return log(document, "$");
}

const text: Check = (value, place) => (typeof value === "string" ? [] : [`${place} is no text`]);
const yesOrNo: Check = (value, place) => (typeof value === "boolean" ? [] : [`${place} is no boolean`]);
const anything: Check = (value, place) => (value === undefined ? [`${place} is undefined`] : []);

const atLeast =
  (least: number): Check =>
  (value, place) =>
    Number.isInteger(value) && (value as number) >= least ? [] : [`${place} is no integer from ${least}`];

const matching =
  (pattern: RegExp, what: string): Check =>
  (value, place) =>
    typeof value === "string" && pattern.test(value) ? [] : [`${place} is no ${what}: ${String(value)}`];

const oneOf = (...values: readonly string[]): Check =>
  matching(new RegExp(`^(?:${values.join("|")})$`), values.join(" or "));

/** RFC 3986: unreserved, reserved and percent-encoded characters. */
const REFERENCE = String.raw`(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})*`;
const uriReference = matching(new RegExp(`^${REFERENCE}$`), "URI reference");
const uri = matching(new RegExp(`^[A-Za-z][A-Za-z\\d+.-]*:${REFERENCE}$`), "URI");

const list =
  (check: Check, { unique = false } = {}): Check =>
  (value, place) => {
    if (!Array.isArray(value)) return [`${place} is no array`];
    const texts = value.map((one) => JSON.stringify(one));
    return [
      ...(unique && new Set(texts).size < texts.length ? [`${place} has an item twice`] : []),
      ...value.flatMap((one, index) => check(one, `${place}[${index}]`)),
    ];
  };

const mapOf =
  (check: Check): Check =>
  (value, place) =>
    entriesOf(value)?.flatMap(([name, one]) => check(one, `${place}.${name}`)) ?? [`${place} is no object`];

const shape =
  ({ required = [], oneOf: some = [], names }: Shape): Check =>
  (value, place) => {
    const entries = entriesOf(value);
    if (entries === undefined) return [`${place} is no object`];
    const has = (name: string) => entries.some(([own]) => own === name);
    return [
      ...required.filter((name) => !has(name)).map((name) => `${place} has no ${name}`),
      ...(some.length > 0 && !some.some(has) ? [`${place} has none of ${some.join(", ")}`] : []),
      ...entries.flatMap(([name, one]) =>
        Object.hasOwn(names, name)
          ? (names[name] as Check)(one, `${place}.${name}`)
          : [`${place}.${name} is an unknown name`],
      ),
    ];
  };

const entriesOf = (value: unknown): [string, unknown][] | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;

const message = shape({ oneOf: ["text", "id"], names: { text, markdown: text, id: text } });
const formatted = shape({ required: ["text"], names: { text, markdown: text } });
const level = oneOf("none", "note", "warning", "error");
const ruleReference = shape({ oneOf: ["index", "guid", "id"], names: { id: text, index: atLeast(-1) } });
const artifactLocation = shape({ names: { uri: uriReference, uriBaseId: text, index: atLeast(-1) } });
const physicalLocation = shape({ oneOf: ["address", "artifactLocation"], names: { artifactLocation } });
const location = shape({ names: { id: atLeast(-1), physicalLocation, message } });

const rule = shape({
  required: ["id"],
  names: {
    ...{ id: text, name: text, shortDescription: formatted, fullDescription: formatted },
    ...{ help: formatted, helpUri: uri },
  },
});

const driver = shape({
  required: ["name"],
  names: { name: text, version: text, semanticVersion: text, rules: list(rule, { unique: true }) },
});

const notification = shape({
  required: ["message"],
  names: { message, level, associatedRule: ruleReference },
});

const invocation = shape({
  required: ["executionSuccessful"],
  names: { executionSuccessful: yesOrNo, toolConfigurationNotifications: list(notification) },
});

const result = shape({
  required: ["message"],
  names: {
    ...{ ruleId: text, ruleIndex: atLeast(-1), level, message, locations: list(location) },
    relatedLocations: list(location, { unique: true }),
    ...{ partialFingerprints: mapOf(text), properties: mapOf(anything) },
  },
});

const run = shape({
  required: ["tool"],
  names: {
    tool: shape({ required: ["driver"], names: { driver } }),
    invocations: list(invocation),
    artifacts: list(shape({ names: { location: artifactLocation } }), { unique: true }),
    results: list(result),
  },
});

const log = shape({
  required: ["version", "runs"],
  names: { $schema: uri, version: oneOf("2\\.1\\.0"), runs: list(run) },
});
