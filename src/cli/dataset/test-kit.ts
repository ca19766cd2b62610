/** Writes a small dataset with known values, the plain way: one block after another, all in memory. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  type BpBlock,
  type BpGroup,
  type BpType,
  type BpVariable,
  bpTypeOfName,
  checksumAttributes,
  encodeIndex,
  type GroupPlan,
  indexOfGroup,
  layOutGroup,
  MinMax,
} from "../../formats/bp/index.ts";
import { crc32 } from "../../node/crc32.ts";

export const SHAPE = [12, 5, 4] as const;
export const STEPS = 2;
const ROWS = 3;
const SUBFILES = 2;

/** Value of the array at a point: each is another one. */
export const valueAt = (step: number, i: number, j: number, k: number): number =>
  step * 1000 + (i * SHAPE[1] + j) * SHAPE[2] + k + 0.25;

/** A global array of doubles, three rows a block, two subfiles, two steps. */
export function writeSample(path: string): void {
  mkdirSync(`${path}.dir`, { recursive: true });
  const type = bpTypeOfName("float64") as BpType;
  const sums = new Map<string, Uint32Array>();
  const key = (block: BpBlock) => `${block.step}/${block.dimensions[0]?.offset}`;
  const all: { group: BpGroup; block: BpBlock }[] = [];
  for (let subfile = 0; subfile < SUBFILES; subfile++) {
    const parts: Uint8Array[] = [];
    let offset = 0;
    for (let step = 1; step <= STEPS; step++) {
      for (let row = subfile * ROWS; row < SHAPE[0]; row += SUBFILES * ROWS) {
        const data = Float64Array.from({ length: ROWS * SHAPE[1] * SHAPE[2] }, (_, n) =>
          valueAt(step - 1, row + Math.floor(n / 20), Math.floor(n / 4) % 5, n % 4),
        );
        const bytes = new Uint8Array(data.buffer);
        const range = new MinMax(type);
        range.add(bytes);
        const dimensions = [
          { local: ROWS, global: SHAPE[0], offset: row },
          ...SHAPE.slice(1).map((size) => ({ local: size, global: size, offset: 0 })),
        ];
        const variable = { id: 1, name: "t", path: "", type, dimensions, statistics: range.statistics() };
        const plan: GroupPlan = { group: "plimsoll", rank: row / ROWS, step, variables: [variable] };
        const layout = layOutGroup(plan);
        for (const part of layout.parts) parts.push(part.kind === "bytes" ? part.bytes : bytes);
        const entry = indexOfGroup(plan, layout, { offset, subfile });
        const block = entry.blocks[0] as BpBlock;
        sums.set(key(block), Uint32Array.of(crc32(bytes)));
        all.push({ group: entry.group, block });
        offset += layout.length;
      }
    }
    writeFileSync(join(`${path}.dir`, `${basename(path)}.${subfile}`), Buffer.concat(parts));
  }
  const blocks = all.map(({ block }) => block);
  blocks.sort((a, b) => a.step - b.step || (a.dimensions[0]?.offset ?? 0) - (b.dimensions[0]?.offset ?? 0));
  const variables: BpVariable[] = [{ id: 1, group: "plimsoll", name: "t", path: "", type, blocks }];
  const attributes = checksumAttributes(variables, (block) => sums.get(key(block)) as Uint32Array, {
    first: 2,
    group: "plimsoll",
  });
  const groups = all.map(({ group }) => group);
  writeFileSync(path, encodeIndex({ groups, variables, attributes }, { start: 0, global: true }));
}
