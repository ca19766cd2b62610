/** Alert rules as data: measure, threshold, time. Numbers are text with units. */
import { didYouMean } from "../../base/choice.ts";
import { UsageError } from "../../base/errors.ts";
import { parseLength } from "./window.ts";

const ALERT_KINDS = ["user-share", "target-ratio", "full", "latency", "silent", "gaps"] as const;
type AlertKind = (typeof ALERT_KINDS)[number];

const OF: Readonly<Record<AlertKind, readonly string[]>> = {
  "user-share": ["metadata", "bytes", "read", "write"],
  "target-ratio": ["metadata", "bytes", "read", "write"],
  full: ["bytes", "inodes"],
  latency: ["read", "write", "metadata"],
  silent: [],
  gaps: [],
};

export interface AlertRule {
  readonly id: string;
  readonly kind: AlertKind;
  /** The measure; empty if the kind has only one. */
  readonly of: string;
  /** A share (0.5 of "50 %"), a factor (3 of "3x"), or seconds for `silent`. */
  readonly above: number;
  /** Length of the evaluated time. */
  readonly overSeconds: number;
  /** Minimum total rate for an alert, in bytes/s or operations/s. */
  readonly atLeast: number;
  /** Length of the preceding time that latency is compared with. */
  readonly againstSeconds: number;
}

/** Default rules, the same as in examples/alerts.json. */
export const DEFAULT_ALERTS: readonly Readonly<Record<string, string>>[] = [
  {
    id: "metadata-of-one-user",
    kind: "user-share",
    of: "metadata",
    above: "50 %",
    over: "10m",
    atLeast: "1000/s",
  },
  { id: "busy-target", kind: "target-ratio", of: "bytes", above: "3x", over: "15m", atLeast: "100MB/s" },
  { id: "full-target", kind: "full", of: "bytes", above: "90 %" },
  { id: "few-inodes", kind: "full", of: "inodes", above: "90 %" },
  { id: "slow-reads", kind: "latency", of: "read", above: "2x", over: "1h", against: "28d" },
  { id: "slow-writes", kind: "latency", of: "write", above: "2x", over: "1h", against: "28d" },
  { id: "silent-collector", kind: "silent", above: "10m" },
  { id: "missing-samples", kind: "gaps", above: "1 %", over: "1d" },
];

const FIELDS = ["id", "kind", "of", "above", "over", "atLeast", "against", "why"];
const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** Checks the rules of a file; an error names the rule and the expected value. */
export function alertRules(value: unknown, source: string): AlertRule[] {
  const list = Array.isArray(value) ? value : (value as { rules?: unknown } | null)?.rules;
  if (!Array.isArray(list) || list.length === 0)
    throw new UsageError(`${source}: expected a list of rules, or {"rules": [...]}`);
  const rules = list.map((one: unknown, i) => alertRule(one, `${source}: rule ${i + 1}`));
  const twice = rules.find(({ id }, i) => rules.findIndex((other) => other.id === id) !== i);
  if (twice !== undefined) throw new UsageError(`${source}: two rules are called ${twice.id}`);
  return rules;
}

function alertRule(value: unknown, where: string): AlertRule {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`${where}: expected an object`);
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, text] of Object.entries(fields)) {
    if (!FIELDS.includes(name))
      throw new UsageError(
        `${where}: unknown field ${name}${didYouMean(name, FIELDS)} (have: ${FIELDS.join(", ")})`,
      );
    if (typeof text !== "string")
      throw new UsageError(`${where}: ${name} is not text; write numbers with units, "90 %"`);
  }
  const {
    id,
    kind,
    of,
    above,
    over = "10m",
    atLeast = "0/s",
    against = "28d",
  } = fields as Record<string, string>;
  const known = ALERT_KINDS.find((name) => name === kind);
  if (id === undefined || !/^[\w-]{1,80}$/.test(id))
    throw new UsageError(`${where}: expected an id of letters, digits and -`);
  if (known === undefined)
    throw new UsageError(`${where} (${id}): unknown kind ${kind} (have: ${ALERT_KINDS.join(", ")})`);
  const choices = OF[known];
  if (choices.length > 0 && !choices.includes(of ?? ""))
    throw new UsageError(`${where} (${id}): of is ${of}; ${known} knows ${choices.join(", ")}`);
  if (above === undefined) throw new UsageError(`${where} (${id}): above is missing`);
  return {
    ...{ id, kind: known, of: of ?? "", above: limitOf(known, above, `${where} (${id}): above`) },
    overSeconds: parseLength(`${where} (${id}): over`, over),
    atLeast: rateOf(atLeast, `${where} (${id}): atLeast`),
    againstSeconds: parseLength(`${where} (${id}): against`, against),
  };
}

function limitOf(kind: AlertKind, text: string, where: string): number {
  if (kind === "silent") return parseLength(where, text);
  const isFactor = kind === "target-ratio" || kind === "latency";
  const match = (isFactor ? /^(\d+(?:\.\d+)?)\s*x$/ : /^(\d+(?:\.\d+)?)\s*%$/).exec(text.trim());
  if (match === null)
    throw new UsageError(
      `${where} ${text}: expected ${isFactor ? "a factor such as 3x" : "a share such as 90 %"}`,
    );
  return isFactor ? Number(match[1]) : Number(match[1]) / 100;
}

/** `1000/s`, `100MB/s`. */
function rateOf(text: string, where: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)B?\/s$/.exec(text.trim());
  if (match === null) throw new UsageError(`${where} ${text}: expected a rate such as 1000/s or 100MB/s`);
  return Number(match[1]) * (UNITS[match[2] as string] as number);
}
