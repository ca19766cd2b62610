/** The headline of the first page: all is well, or the most important alert. */
import type { AlertAnswer } from "../analyze/load/index.ts";
import { formatMany, formatShare } from "../base/units.ts";
import { longAge } from "./units.ts";

export type Alert = AlertAnswer["alerts"][number];

export interface Verdict {
  readonly level: "warn" | "good" | "info";
  readonly headline: string;
  readonly lead: string;
  /** The target or user concerned, and the kind of its page. */
  readonly about?: { readonly place: "target" | "user"; readonly name: string };
}

/** A store without newer samples than this is an archive. */
const ARCHIVE_SECONDS = 86_400;

/** Silent collectors first, then what harms most jobs. */
const ORDER = ["silent", "target-ratio", "user-share", "latency", "full", "gaps"];

export const isArchive = (ageSeconds: number): boolean => ageSeconds > ARCHIVE_SECONDS;

/** Alerts that count: in an archive, silent collectors are not alerts. */
export const countedAlerts = (alerts: readonly Alert[], ageSeconds: number): readonly Alert[] =>
  alerts
    .filter(({ kind }) => kind !== "silent" || !isArchive(ageSeconds))
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.value / b.limit - a.value / a.limit);

interface Judged {
  /** Alert rules with sufficient data. */
  readonly judged: number;
  readonly rules: number;
  /** Labels of strips that end above their range of last week: "Read". */
  readonly above: readonly string[];
}

export function verdictOf(
  alerts: readonly Alert[],
  ageSeconds: number,
  { judged, rules, above }: Judged,
): Verdict {
  const [first, ...others] = alerts;
  const more = others.length === 0 ? "" : ` And ${formatMany(others.length, "more alert")}.`;
  const when = isArchive(ageSeconds) ? ` At the end of the store, ${longAge(ageSeconds)} ago.` : "";
  if (first !== undefined)
    return { level: "warn", ...headlineOf(first, others), lead: `${leadOf(first)}${more}${when}` };
  const quiet =
    judged === rules
      ? `None of ${rules} alert rules fires.`
      : `None of the ${judged} alert rules with data fires; ${rules - judged} have no data.`;
  const busy =
    above.length === 0
      ? ""
      : ` ${above.join(" and ").replace(/^./, (letter) => letter.toUpperCase())} ${above.length === 1 ? "is" : "are"} above last week.`;
  if (isArchive(ageSeconds))
    return {
      level: "info",
      headline: "No alerts at the end of the store",
      lead: `${quiet}${busy} Its newest sample is ${longAge(ageSeconds)} old.`,
    };
  if (judged === 0) return { level: "info", headline: "No alert rule has data", lead: busy.trim() };
  return { level: "good", headline: "All is well", lead: `${quiet}${busy}` };
}

/** What a user has a large share of. */
const OF: Readonly<Record<string, string>> = {
  metadata: "the metadata load",
  bytes: "all bytes",
  read: "all reads",
  write: "all writes",
};

const targetOf = (subject: string): string => subject.replace(/^.*-(?=(OST|MDT)[0-9a-f]{4}$)/i, "");

function headlineOf(alert: Alert, others: readonly Alert[]): Omit<Verdict, "level" | "lead"> {
  const { kind, subject } = alert;
  const name = targetOf(subject);
  const alike = others.filter((one) => one.kind === kind && one.of === alert.of).length;
  const several = (one: string, many: string) => (alike === 0 ? one : many.replace("#", String(alike + 1)));
  switch (kind) {
    case "target-ratio":
      return {
        headline: several(`One target needs attention: ${name}`, `# targets need attention, first ${name}`),
        about: { place: "target", name: subject },
      };
    case "user-share": {
      const user = subject.replace(/^user /, "");
      return {
        headline: `${user} accounts for ${formatShare(alert.value)} of ${OF[alert.of] ?? alert.of}`,
        about: { place: "user", name: user },
      };
    }
    case "latency":
      return {
        headline: several(`${name} responds slowly`, `# targets respond slowly, first ${name}`),
        about: { place: "target", name: subject },
      };
    case "full":
      return {
        headline:
          alert.of === "inodes"
            ? several(
                `${name} has used ${formatShare(alert.value)} of its inodes`,
                `# targets run out of inodes, first ${name}`,
              )
            : several(
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
