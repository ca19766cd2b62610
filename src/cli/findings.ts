/** `plimsoll findings`: the findings alone, for people and for CI. */
import {
  type Rule,
  counted,
  factName,
  jobSummary,
  originOfRuns,
  judge,
  needsText,
  rulesNamed,
  verdictOf,
} from "../analyze/job/index.ts";
import { CheckFailed, UsageError } from "../base/errors.ts";
import { formatSize } from "../base/units.ts";
import { isAtLeast, SEVERITIES } from "../model/index.ts";
import { formatValue } from "../plot/index.ts";
import { findingsText, wrap } from "../report/text/index.ts";
import { version } from "../../package.json";
import { defineCommand } from "./command.ts";
import { JOB_OPTIONS, MERGE_OPTIONS, readJob } from "./job/read.ts";
import { option } from "./option.ts";
import { provenancePrefix } from "../model/index.ts";

const CI_FORMATS = ["sarif", "junit"] as const;

export default defineCommand({
  name: "findings",
  description:
    "Applies all rules to one job, from the same inputs as plimsoll report, and prints the findings: statement, files, advice. With --fail-on the exit code is 1 if a finding has at least that severity. --to prints SARIF or JUnit XML; in JUnit XML, findings of at least the --fail-on severity (default: warn) fail their test case. --list explains every rule with its thresholds and their sources.",
  arguments: [
    {
      name: "input",
      help: "logs or traces of one job, a folder of them, or - for stdin",
      kind: "file",
      variadic: true,
      optional: true,
    },
  ],
  options: {
    list: option.flag("explain all rules; reads no log"),
    "fail-on": option.choice(SEVERITIES, "exit code 1 if a finding has at least this severity"),
    to: option.choice(CI_FORMATS, "print the findings for a CI system: SARIF 2.1.0 or JUnit XML"),
    only: option.list("ID", "apply only this rule"),
    ...MERGE_OPTIONS,
    ...JOB_OPTIONS,
  },
  examples: {
    "plimsoll findings run.darshan": "problems and how to fix them",
    "plimsoll findings run.darshan --json --fail-on high": "for CI: JSON, exit code 1 on a high finding",
    "plimsoll findings run.darshan --to sarif > io.sarif": "for code scanning; --to junit for test reports",
    "plimsoll findings --list": "all rules with thresholds and sources",
  },
  async run({ arguments: paths, options }, context) {
    const rules = rulesNamed(options.only);
    if (options.to !== undefined && (context.json || options.list))
      throw new UsageError(
        `--to ${options.to} is an output of its own; leave out ${context.json ? "--json" : "--list"}`,
      );
    if (options.list) {
      if (context.json) context.printJson({ rules: rules.map(explained) });
      else context.out.write(rules.map((rule) => ruleText(rule, context.columns)).join("\n"));
      return;
    }
    if (paths.length === 0) throw new UsageError("name a log or trace, or use --list to see the rules");
    const read = await readJob(paths, options, context);
    const verdicts = options.only.length === 0 ? read.verdicts : judge(read.job, read.thresholds, rules);
    if (options.to !== undefined) {
      const { sarifText, junitText } = await import("../report/ci/index.ts");
      const failOn = options.failOn ?? "warn";
      const input = { rules, ...verdicts, source: paths[0] ?? "", version, failOn };
      context.out.write(options.to === "sarif" ? sarifText(input) : junitText(input));
    } else if (context.json) context.printJson(jobSummary({ job: read.job, verdicts }));
    else {
      const style = { width: context.columns, color: context.color };
      const verdict = `${provenancePrefix(originOfRuns(read.job.runs))}${verdictOf(read.job, verdicts)}`;
      context.out.write(`${wrap(verdict, context.columns).join("\n")}\n\n`);
      context.out.write(findingsText(verdicts.findings, style));
      const left = verdicts.unjudged.length > 0 ? `, ${verdicts.unjudged.length} could not be applied` : "";
      context.out.write(
        `${counted(verdicts.findings.length, "finding")}; ${counted(verdicts.quiet.length, "rule")} found nothing${left}\n`,
      );
    }
    const { failOn } = options;
    const bad = verdicts.findings.filter(
      ({ severity }) => failOn !== undefined && isAtLeast(severity, failOn),
    );
    if (bad.length > 0)
      throw new CheckFailed(
        `${counted(bad.length, "finding")} ${bad.length === 1 ? "is" : "are"} ${failOn}${failOn === "high" ? "" : " or worse"}: ${bad.map(({ id }) => id).join(", ")}`,
      );
  },
});

const explained = ({ id, title, meaning, needs, thresholds, drishti }: Rule) => ({
  id,
  title,
  meaning,
  needs: needs.map((group) => group.map(factName)),
  thresholds,
  ...(drishti === undefined ? {} : { drishti }),
});

function ruleText({ id, title, meaning, needs, thresholds }: Rule, width: number): string {
  const indent = (text: string) => wrap(text, width - 2).map((line) => `  ${line}`);
  return [
    `${id}: ${title}`,
    ...indent(meaning),
    ...Object.entries(thresholds).flatMap(([name, { value, unit, meaning: what, source }]) =>
      indent(
        `--threshold ${id}.${name}=${value} (${unit === "bytes" ? formatSize(value) : formatValue(value, unit)}): ${what}. Source: ${source}`,
      ),
    ),
    ...(needs.length > 0 ? indent(`Needs ${needsText(needs, " and ")}.`) : []),
    "",
  ].join("\n");
}
