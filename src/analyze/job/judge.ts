/** Applies the rules to a job. */
import { assert } from "../../base/assert.ts";
import { UsageError } from "../../base/errors.ts";
import type { Cost, Finding, ThresholdUse } from "../../model/index.ts";
import { byCost, costOf, markOverlaps, severityOf, together } from "./cost/cost.ts";
import { withoutTracer } from "./cost/strace-overhead.ts";
import { type Fact, needsText } from "./facts.ts";
import type { Job } from "./job.ts";
import type { Claim, Judgement, Others, Rule, ThresholdValues, Unjudged, Verdicts } from "./rule.ts";
import { RULES } from "./rules/index.ts";

/**
 * Findings with the largest cost first; of the same cost in the order of the table. Rules that are not among `rules` make
 * no finding, but those that are still yield to them.
 */
export function judge(
  job: Job,
  values: ThresholdValues = new Map(),
  rules: readonly Rule[] = RULES,
): Verdicts {
  const known = new Map([...RULES, ...rules].map((rule) => [rule.id, rule]));
  checkValues(values, known);
  const judging = new Judging(job, values, known);
  const judged: { rule: Rule; judgement: Judgement }[] = [];
  const quiet: string[] = [];
  const unjudged: Unjudged[] = [];
  for (const rule of rules) {
    const lacks = missingFacts(rule, job);
    const judgement = judging.of(rule);
    if (lacks.length > 0) unjudged.push({ id: rule.id, missing: needsText(lacks, " and "), lacks });
    else if (judgement === undefined) quiet.push(rule.id);
    else judged.push({ rule, judgement: { ...judgement, cost: withoutTracer(job, judgement.cost) } });
  }
  const ordered = byCost(
    job,
    judged.map((one) => ({ ...one, cost: costOf(job, one.judgement.cost) })),
  );
  const costs = markOverlaps(job, ordered);
  const findings = ordered.map(({ rule, judgement }, at) =>
    findingOf(job, rule, judgement, costs[at] as Cost, values),
  );
  return { findings, together: together(job, ordered), quiet, unjudged };
}

/** Judgements of a job: each rule is asked once, by the table or by a rule that yields to it. */
class Judging {
  readonly #job: Job;
  readonly #values: ThresholdValues;
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #judgements = new Map<string, Judgement | undefined>();
  /** Those that are being judged, each asked by the one before. */
  readonly #asked = new Set<string>();

  constructor(job: Job, values: ThresholdValues, rules: ReadonlyMap<string, Rule>) {
    this.#job = job;
    this.#values = values;
    this.#rules = rules;
  }

  /** Undefined when the rule is silent or lacks its facts. */
  of(rule: Rule): Judgement | undefined {
    const { id } = rule;
    if (this.#judgements.has(id)) return this.#judgements.get(id);
    assert(!this.#asked.has(id), `rules yield to one another in a circle: ${[...this.#asked].join(", ")}`);
    this.#asked.add(id);
    const judgement =
      missingFacts(rule, this.#job).length === 0
        ? rule.judge(this.#job, limitsOf(rule, this.#values), this.#othersOf(rule))
        : undefined;
    this.#asked.delete(id);
    this.#judgements.set(id, judgement);
    return judgement;
  }

  #othersOf(rule: Rule): Others {
    const named = (id: string) => {
      const other = this.#rules.get(id);
      assert(other !== undefined, `${rule.id} asks for a rule that does not exist: ${id}`);
      return this.of(other);
    };
    const claims = (...ids: readonly string[]): Claim[] => ids.flatMap((id) => named(id)?.claims ?? []);
    return {
      claims,
      speak: (...ids) => ids.some((id) => named(id) !== undefined),
      claimed(ids, way) {
        const inWay = claims(...ids).filter((one) => way === undefined || (one.way ?? way) === way);
        return new Set(inWay.map(({ fileId }) => fileId));
      },
      all: () => {
        const speaking = new Map<string, Judgement>();
        for (const other of this.#rules.values()) {
          const judgement = other.id === rule.id ? undefined : this.of(other);
          if (judgement !== undefined) speaking.set(other.id, judgement);
        }
        return speaking;
      },
    };
  }
}

const limitsOf = (rule: Rule, values: ThresholdValues) =>
  Object.fromEntries(
    Object.entries(rule.thresholds).map(([name, { value }]) => [
      name,
      values.get(`${rule.id}.${name}`) ?? value,
    ]),
  );

function findingOf(job: Job, rule: Rule, judgement: Judgement, cost: Cost, values: ThresholdValues): Finding {
  const { evidence, claims: _, cost: claim, measured, action, ...rest } = judgement;
  const threshold: ThresholdUse[] = Object.entries(rule.thresholds).map(([name, spec]) => {
    const given = values.get(`${rule.id}.${name}`);
    return {
      name,
      meaning: spec.meaning,
      value: given ?? spec.value,
      unit: spec.unit,
      ...(spec.most === true ? { most: true as const } : {}),
      source: given === undefined ? spec.source : "given with --threshold",
      measured: finite(measured?.[name]),
    };
  });
  return {
    id: rule.id,
    severity: severityOf(job, cost, claim),
    cost,
    title: rule.title,
    ...rest,
    inShort: action.change,
    advice: action.advice,
    ...(action.snippet && { snippet: action.snippet }),
    // It may begin with a share in words: "over 99.9 % of writes".
    statement: rest.statement.replace(/^[a-z]/, (letter) => letter.toUpperCase()),
    evidence: {
      files: [],
      ranks: [],
      ...evidence,
      numbers: (evidence.numbers ?? []).filter(({ value }) => !Number.isNaN(value)),
      filesTotal: evidence.filesTotal ?? evidence.files?.length ?? 0,
    },
    threshold,
  };
}

const finite = (value: number | undefined) => (Number.isFinite(value) ? (value as number) : null);

/** Groups of facts that the job has none of; empty when the rule can be applied. */
const missingFacts = (rule: Rule, job: Job): readonly (readonly Fact[])[] =>
  job.facts.has("directions")
    ? rule.needs.filter((group) => !group.some((fact) => job.facts.has(fact)))
    : [["directions"]];

const unknownFinding = (id: string) =>
  new UsageError(`unknown finding: ${id}; plimsoll findings --list shows all`);

/** The rules with these ids in the order of the table; all where none is named. */
export function rulesNamed(ids: readonly string[]): readonly Rule[] {
  for (const id of ids) if (!RULES.some((rule) => rule.id === id)) throw unknownFinding(id);
  return ids.length === 0 ? RULES : RULES.filter(({ id }) => ids.includes(id));
}

function checkValues(values: ThresholdValues, rules: ReadonlyMap<string, Rule>): void {
  for (const key of values.keys()) {
    const [id = "", name = ""] = key.split(".");
    const rule = rules.get(id);
    if (rule === undefined) throw unknownFinding(id);
    if (!Object.hasOwn(rule.thresholds, name))
      throw new UsageError(
        `${id} has no threshold ${name} (have: ${Object.keys(rule.thresholds).join(", ") || "none"})`,
      );
  }
}
