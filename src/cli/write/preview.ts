/** `--dry-run`: what would be written where, without touching anything. */
import { formatBytes, formatMany } from "../../base/units.ts";
import { fullName } from "../../formats/bp/index.ts";
import { previewStep, type StepInput, type WriterOptions } from "../../adaptive/runtime/index.ts";

const LINES = 16;

export function previewJson(options: WriterOptions, input: StepInput): unknown {
  const { variables, blocks, groups, targets, writers, policy, bytes, sources } = previewStep(options, input);
  return {
    dryRun: true,
    bytes,
    sources,
    blocks,
    writers,
    policy,
    variables: variables.map((one) => ({ name: fullName(one), type: one.type.name, shape: one.shape })),
    targets,
    groups,
  };
}

export function* previewLines(options: WriterOptions, input: StepInput): Generator<string> {
  const { variables, blocks, groups, targets, writers, policy, bytes, sources } = previewStep(options, input);
  yield `${options.path}: ${formatBytes(bytes)} from ${formatMany(sources, "source")}, nothing is written (--dry-run)`;
  for (const one of variables.slice(0, LINES))
    yield `  ${one.type.name} ${fullName(one)}  ${one.shape.join(" × ")}`;
  if (variables.length > LINES) yield `  and ${variables.length - LINES} more variables`;
  yield `${formatMany(writers, "process", "processes")} for at least ${formatMany(blocks, "block")}, policy ${policy}, ${formatMany(targets.length, "target")}:`;
  for (const group of groups.slice(0, LINES)) {
    const where = group.targets.map((target) => `${target} ${targets[target]}`).join(", ");
    yield `  target ${where}: ${formatMany(group.blocks, "block")}, ${formatBytes(group.bytes)} initially`;
  }
  if (groups.length > LINES) yield `  and ${groups.length - LINES} more`;
}
