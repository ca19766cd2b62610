/** Applies the rules to a job. */
import { UsageError } from "../../base/errors.ts";
import { type Finding, SEVERITIES, type ThresholdUse } from "../../model/finding.ts";
import type { Job } from "./job.ts";
import type { Rule, ThresholdValues, Verdicts } from "./rule.ts";
import { RULES } from "./rules/index.ts";

/** Findings with the most severe first; rules of the same severity keep the order of the table. */
export function judge(
  job: Job,
  values: ThresholdValues = new Map(),
  rules: readonly Rule[] = RULES,
): Verdicts {
  checkValues(values, rules);
  const findings: Finding[] = [];
  const quiet: string[] = [];
  const unjudged: { id: string; missing: string }[] = [];
  for (const rule of rules) {
    const missing = missingModules(rule, job);
    if (missing !== undefined) {
      unjudged.push({ id: rule.id, missing });
      continue;
    }
    const finding = findingOf(rule, job, values);
    if (finding === undefined) quiet.push(rule.id);
    else findings.push(finding);
  }
  findings.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  return { findings, quiet, unjudged };
}

function findingOf(rule: Rule, job: Job, values: ThresholdValues): Finding | undefined {
  const limits: Record<string, number> = {};
  for (const [name, { value }] of Object.entries(rule.thresholds))
    limits[name] = values.get(`${rule.id}.${name}`) ?? value;
  const judgement = rule.judge(job, limits);
  if (judgement === undefined) return undefined;
  const { evidence, ...rest } = judgement;
  const threshold: ThresholdUse[] = Object.entries(rule.thresholds).map(([name, spec]) => ({
    name,
    value: limits[name] as number,
    unit: spec.unit,
    source: limits[name] === spec.value ? spec.source : "given with --threshold",
  }));
  return {
    id: rule.id,
    title: rule.title,
    ...rest,
    evidence: {
      numbers: [],
      files: [],
      ranks: [],
      ...evidence,
      filesTotal: evidence.filesTotal ?? evidence.files?.length ?? 0,
    },
    threshold,
  };
}

/** What is missing, in words; undefined when the rule can be applied. */
function missingModules(rule: Rule, job: Job): string | undefined {
  const missing = rule.needs.filter((group) => !group.some((module) => job.modules.has(module)));
  return missing.length === 0 ? undefined : missing.map((group) => group.join(" or ")).join(" and ");
}

function checkValues(values: ThresholdValues, rules: readonly Rule[]): void {
  for (const key of values.keys()) {
    const [id = "", name = ""] = key.split(".");
    const rule = rules.find((one) => one.id === id);
    if (rule === undefined)
      throw new UsageError(`no finding is called ${id}; plimsoll findings --list names them all`);
    if (!(name in rule.thresholds))
      throw new UsageError(
        `${id} has no threshold ${name} (have: ${Object.keys(rule.thresholds).join(", ") || "none"})`,
      );
  }
}
