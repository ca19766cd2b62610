/** The paper's evaluation with published and simulated numbers. */
import {
  type Block,
  type Cell,
  type Document,
  type ReplayCheck,
  type ReplayData,
  type ReplayMachine,
  type Section,
  table,
} from "../../model/index.ts";
import { formatCount, formatMany } from "../../base/units.ts";
import { checkTable, figures, rowsOf } from "./replay-blocks.ts";
import { externalSection } from "./replay-external.ts";
import { fig1, fig56, fig7, gains, outputSeries } from "./replay-figures.ts";
import { policySection } from "./replay-policies.ts";
import { tradeoffSection } from "./replay-tradeoff.ts";

interface ReplayDocumentOptions {
  readonly command: string;
  readonly madeBy: string;
}

export function replayDocument(data: ReplayData, { command, madeBy }: ReplayDocumentOptions): Document {
  const count = countsOf(data.checks);
  return {
    title: "Adaptive writing: the paper's experiments, simulated",
    facts: [
      { label: "Simulated runs", text: formatCount(data.runs) },
      { label: "Events", text: formatCount(data.events) },
      { label: "Seed", text: String(data.seed) },
      { label: "Machines", text: data.machines.map(({ name }) => name).join(", ") },
      { label: "Checks", text: `${count.met} met, ${count.missed} missed` },
    ],
    verdict: replayVerdict(data.checks),
    sections: [
      overview(data),
      ...internalSection(data),
      ...externalSection(data),
      ...outputSection(data),
      ...spreadSection(data),
      ...policySection(data),
      ...tradeoffSection(data),
      contradictionSection(data),
      machineSection(data),
    ],
    command,
    madeBy,
  };
}

/** Counts of simulated checks; facts that follow from the machines' data are counted separately. */
function countsOf(checks: readonly ReplayCheck[]) {
  const of = (verdict: ReplayCheck["verdict"], computed: boolean) =>
    checks.filter((one) => one.verdict === verdict && one.computed === computed).length;
  return {
    met: of("met", false),
    missed: of("missed", false),
    few: of("not enough samples", false),
    notRun: of("not run", false),
    facts: of("met", true),
    wrongFacts: of("missed", true),
    contradictions: checks.filter(({ verdict }) => verdict === "contradiction").length,
  };
}

export function replayVerdict(checks: readonly ReplayCheck[]): string {
  const { met, missed, few, notRun, facts, wrongFacts, contradictions } = countsOf(checks);
  const parts: string[] = [];
  const judged = met + missed + few;
  if (judged > 0)
    parts.push(
      `${met} of ${formatMany(judged, "published number or relation", "published numbers and relations")} are met`,
      `${missed} missed`,
      ...(few === 0 ? [] : [`${few} without enough samples to decide`]),
    );
  if (facts > 0)
    parts.push(
      `${formatMany(facts, "fact")} of machines and experiments ${facts === 1 ? "agrees" : "agree"}`,
    );
  if (wrongFacts > 0) parts.push(`${wrongFacts} ${wrongFacts === 1 ? "does" : "do"} not`);
  if (contradictions > 0) parts.push(`${contradictions} contradicts itself in the paper`);
  if (notRun > 0) parts.push(`${notRun} not run`);
  return parts.length === 0 ? "Simulated: no checks were run." : `Simulated: ${parts.join("; ")}.`;
}

function overview(data: ReplayData): Section {
  const { met, missed, notRun, facts } = countsOf(data.checks);
  return {
    id: "overview",
    title: "Overview",
    blocks: [
      {
        kind: "notice",
        level: "note",
        text: "Simulated: every number comes from a storage model fitted to the published numbers, not from a machine. Adaptive runs use the real protocol code, message by message.",
      },
      {
        kind: "tiles",
        tiles: [
          {
            label: "Checks met",
            value: met,
            unit: "count",
            note: `and ${formatMany(facts, "fact")}`,
            about:
              "Within the tolerance of the check. Facts follow from the machines' data; nothing is simulated for them.",
          },
          {
            label: "Missed",
            value: missed,
            unit: "count",
            about: "Outside the tolerance; listed with values below.",
            ...(notRun > 0 ? { note: `${notRun} not run` } : {}),
          },
          { label: "Runs", value: data.runs, unit: "count", about: "Simulated output steps in all." },
          { label: "Events", value: data.events, unit: "count", about: "Simulated events in all." },
        ],
      },
      ...missedBlocks(data.checks),
      checkTable("checks", "Every check, in the order of the paper's list.", data.checks, true),
    ],
  };
}

function missedBlocks(checks: readonly ReplayCheck[]): Block[] {
  const missed = checks.filter(({ verdict }) => verdict === "missed");
  if (missed.length === 0) return [];
  return [
    {
      kind: "notice",
      level: "warning",
      text: `${formatMany(missed.length, "check")} missed: the model is outside the tolerance of the paper's result. They come first; all checks follow.`,
    },
    checkTable("checks-missed", "Missed checks.", missed),
    ...missed.flatMap(({ id, why }): Block[] =>
      why === "" ? [] : [{ kind: "text", text: `${id}: ${why}` }],
    ),
  ];
}

function internalSection(data: ReplayData): Section[] {
  const charts = fig1(data);
  const checks = rowsOf(data, /^I[2-7]$/);
  if (charts.length === 0 && checks.every(({ verdict }) => verdict === "not run")) return [];
  return [
    {
      id: "internal",
      title: "Internal interference",
      intro:
        "IOR writes with an increasing number of processes to the same targets. The paper: bandwidth per writer falls, and the aggregate too, with 16 or more writers per target for 8 MB and four or more for larger sizes; only 1 MB fits into the caches (II.1, Fig 1).",
      detail: true,
      blocks: [
        ...figures(charts, data),
        checkTable("checks-internal", "Fig 1 and IOR on XTP: published and simulated.", checks),
      ],
    },
  ];
}

const OUTPUT_TEXTS = [
  {
    sizeMb: 2,
    name: "Pixie3D small (2 MB per process)",
    published:
      "10 % better at 8192 and 16384 processes; under interference 3 % at 8192 and about 35 % at 16384",
  },
  {
    sizeMb: 128,
    name: "Pixie3D large (128 MB)",
    published: "1 % to more than 350 % better; under interference 62 % to more than 430 %",
  },
  {
    sizeMb: 1024,
    name: "Pixie3D extra large (1 GB)",
    published:
      "about 4.8 times as fast with 3.2 times as many targets, and more than 300 % better once processes outnumber targets",
  },
  { sizeMb: 38, name: "XGC1 (38 MB)", published: "30 % to more than 224 % better over all tests" },
] as const;

function outputSection(data: ReplayData): Section[] {
  const charts = [...fig56(data, "5"), ...fig56(data, "6")];
  if (charts.length === 0) return [];
  const texts = OUTPUT_TEXTS.flatMap(({ sizeMb, name, published }): Block[] => {
    const series = outputSeries(data, sizeMb);
    if (series.every(({ interference }) => !interference)) return [];
    const said = (interference: boolean) =>
      gains(series, interference)
        .map(({ writers, gain }) => `${gain.toFixed(2)} at ${writers}`)
        .join(", ");
    return [
      {
        kind: "text",
        text: `${name}. Published: ${published}. Simulated, speed-up over MPI-IO: base ${said(false)}; interference ${said(true)}.`,
      },
    ];
  });
  return [
    {
      id: "output",
      title: "Adaptive writing against MPI-IO",
      intro:
        "Output steps of two programs on Jaguar, with MPI-IO on the 160 targets that one file may have and with the adaptive method on 512; each also with interference: a program that writes continuously to eight targets (IV, Figs 5 and 6).",
      detail: true,
      blocks: [
        ...texts,
        ...figures(charts, data),
        checkTable(
          "checks-output",
          "Figs 5 and 6: published and simulated.",
          rowsOf(data, /^(P[2-6]|P8|N2)$/),
        ),
      ],
    },
  ];
}

function spreadSection(data: ReplayData): Section[] {
  const charts = data.parts.includes("fig7") ? fig7(data) : [];
  if (charts.length === 0) return [];
  return [
    {
      id: "spread",
      title: "Variability",
      intro:
        "Variation of the write time between runs. The paper: with about four or more writers per target the adaptive method varies less, for 1 GB much less (IV.C, Fig 7).",
      detail: true,
      blocks: [
        ...figures(charts, data),
        checkTable("checks-spread", "Fig 7: published and simulated.", rowsOf(data, /^P7$/)),
      ],
    },
  ];
}

function contradictionSection({ contradictions }: ReplayData): Section {
  return {
    id: "contradictions",
    title: "Contradictions in the paper",
    detail: true,
    blocks: [
      table(
        "contradictions",
        "The printed value, its implication, and the value used here.",
        [
          ["place", "Place", "text", "Section of the paper."],
          ["printed", "Printed", "text", "The statement in our words."],
          ["found", "Found", "text", "Its implication."],
          ["used", "Used here", "text", "In this replay."],
        ],
        contradictions.map(({ place, printed, found, used }): Cell[] => [place, printed, found, used]),
      ),
    ],
  };
}

function machineSection({ machines }: ReplayData): Section {
  return {
    id: "machines",
    title: "Machines and their parameters",
    intro:
      "The model of each machine. Published parameters are the paper's; calibrated ones were fitted to its numbers; assumed ones were set by hand.",
    detail: true,
    blocks: [
      {
        kind: "text",
        text: machines.map(machineText).join(" "),
      },
      {
        kind: "table",
        id: "parameters",
        caption: "Parameters of the storage model, as in the machine files.",
        columns: [
          { key: "parameter", label: "Parameter", unit: "text", about: "Name in the machine file." },
          ...machines.flatMap(({ name }) => [
            { key: name, label: name, unit: "none" as const, about: "Value." },
            { key: `${name}-origin`, label: "origin", unit: "text" as const, about: "Source of the value." },
          ]),
        ],
        rows: Object.keys(machines[0]?.parameters ?? {}).map((parameter): Cell[] => [
          parameter,
          ...machines.flatMap(({ parameters, origins }): Cell[] => [
            parameters[parameter] ?? null,
            origins[parameter] ?? "assumed",
          ]),
        ]),
      },
      {
        kind: "text",
        text: "Experiments: J. Lofstead, F. Zheng, Q. Liu, S. Klasky, R. Oldfield, T. Kordenbrock, K. Schwan, M. Wolf, Managing Variability in the IO Performance of Petascale Storage Systems, SC '10.",
      },
    ],
  };
}

const machineText = ({ title, targets, fit }: ReplayMachine): string =>
  `${title}: ${formatMany(targets, "target")}${fit === undefined ? "" : `, fitted with loss ${fit.loss.toFixed(2)} (seed ${fit.seed}, ${formatMany(fit.samples, "sample")})`}.`;
