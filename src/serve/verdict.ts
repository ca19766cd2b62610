/** The one sentence at the top of the first page: whether all is well, and if not, the one thing to look at. */
import type { AlertAnswer } from "../analyze/load/index.ts";
import { formatMany, formatShare } from "../base/units.ts";
import { longAge } from "./units.ts";

export type Alert = AlertAnswer["alerts"][number];

export interface Verdict {
  readonly level: "warn" | "good" | "info";
  readonly headline: string;
  readonly lead: string;
  /** The target or the user that it is about, as its page is called. */
  readonly about?: { readonly place: "target" | "user"; readonly name: string };
}

/** Not seen for longer than this, a store is an archive: nobody waits for its next sample. */
const ARCHIVE_SECONDS = 86_400;

/** What keeps from seeing comes first, then what harms most jobs. */
const ORDER = ["silent", "target-ratio", "user-share", "latency", "full", "gaps"];

export const isArchive = (ageSeconds: number): boolean => ageSeconds > ARCHIVE_SECONDS;

/** Alerts that count: of an archive nobody expects samples. */
export const countedAlerts = (alerts: readonly Alert[], ageSeconds: number): readonly Alert[] =>
  alerts
    .filter(({ kind }) => kind !== "silent" || !isArchive(ageSeconds))
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.value / b.limit - a.value / a.limit);

export function verdictOf(alerts: readonly Alert[], ageSeconds: number, rules: number): Verdict {
  const [first, ...others] = alerts;
  const more = others.length === 0 ? "" : ` And ${formatMany(others.length, "more alert")}.`;
  if (first !== undefined)
    return { level: "warn", ...worded(first, others), lead: `${leadOf(first)}${more}` };
  if (isArchive(ageSeconds))
    return {
      level: "info",
      headline: "Nothing unusual at the end of the store",
      lead: `Its newest sample is ${longAge(ageSeconds)} old: what is shown is the last time that it has.`,
    };
  return { level: "good", headline: "All is well", lead: `None of ${rules} alert rules fires.` };
}

const targetOf = (subject: string): string => subject.replace(/^.*-(?=(OST|MDT)[0-9a-f]{4}$)/i, "");

function worded(alert: Alert, others: readonly Alert[]): Omit<Verdict, "level" | "lead"> {
  const { kind, subject } = alert;
  const name = targetOf(subject);
  const alike = others.filter((one) => one.kind === kind).length;
  const several = (one: string, many: string) => (alike === 0 ? one : many.replace("#", String(alike + 1)));
  switch (kind) {
    case "target-ratio":
      return {
        headline: several(`One target needs a look: ${name}`, `# targets need a look, first ${name}`),
        about: { place: "target", name: subject },
      };
    case "user-share": {
      const user = subject.replace(/^user /, "");
      return {
        headline: `${user} makes ${formatShare(alert.value)} of the metadata load`,
        about: { place: "user", name: user },
      };
    }
    case "latency":
      return {
        headline: several(`${name} answers slowly`, `# targets answer slowly, first ${name}`),
        about: { place: "target", name: subject },
      };
    case "full":
      return {
        headline: several(
          `${name} is ${formatShare(alert.value)} full`,
          `# targets are nearly full, first ${name}`,
        ),
        about: { place: "target", name: subject },
      };
    case "silent":
      return {
        headline: several(
          `No samples from ${subject} for ${longAge(alert.value)}`,
          `No samples from # servers`,
        ),
      };
    default:
      return {
        headline: several(`Samples of ${name} are missing`, `Samples of # targets are missing`),
        about: { place: "target", name: subject },
      };
  }
}

const leadOf = ({ text, subject, kind }: Alert): string =>
  kind === "silent" ? `${subject}: ${text}.` : `${text.replace(/^./, (letter) => letter.toUpperCase())}.`;
