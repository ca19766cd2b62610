/** Computes the access of each rank from a pattern spec. */
import { UsageError } from "../../base/errors.ts";
import { bytes, type Datatype, parts, shifted, vector } from "../../base/datatype.ts";
import type { Pattern, RankAccess } from "./pattern.ts";
import {
  FLASH_DEFAULTS,
  type FlashSpec,
  type HpioSpec,
  IPARS_DEFAULTS,
  type IparsSpec,
  type NcioSpec,
  type PatternSpec,
  readPatternSpec,
  SUBARRAY_DEFAULTS,
  type SubarraySpec,
} from "./specs.ts";

/** Fails with a `UsageError` when the spec is wrong, contradicts itself, or goes beyond 2^53-1 bytes. */
export function patternOf(spec: PatternSpec): Pattern {
  readPatternSpec(spec);
  switch (spec.pattern) {
    case "ncio":
    case "hpio":
      return strided(spec);
    case "flash":
      return flash({ ...FLASH_DEFAULTS, ...spec });
    case "ipars":
      return ipars({ ...IPARS_DEFAULTS, ...spec });
    case "subarray":
      return subarray({ ...SUBARRAY_DEFAULTS, ...spec });
  }
}

function strided(spec: NcioSpec | HpioSpec): Pattern {
  const { pattern: name, ranks, count, size, spacing } = spec;
  const { memorySpacing = spacing, memorySize = size }: Partial<HpioSpec> =
    spec.pattern === "hpio" ? spec : {};
  const [memoryCase, fileCase] = spec.case.split("-");
  if (fileCase === "nc") notBelow(name, "spacing", spacing, size);
  if (memoryCase === "nc") notBelow(name, "memory spacing", memorySpacing, memorySize);
  const block = count * size;
  const wholes = Math.floor(block / memorySize);
  const fileBytes = fileCase === "nc" ? (count * ranks - 1) * spacing + size : ranks * block;
  exact(name, fileBytes, wholes * memorySpacing + memorySize, ranks * spacing);
  const regions = vector(count, ranks * spacing, bytes(size));
  // The last memory region holds the rest.
  const rest = block - wholes * memorySize;
  const regular = vector(wholes, memorySpacing, bytes(memorySize));
  const holed =
    rest === 0
      ? regular
      : wholes === 0
        ? bytes(rest)
        : parts({ at: 0, of: regular }, { at: wholes * memorySpacing, of: bytes(rest) });
  const memory = memoryCase === "nc" ? holed : bytes(block);
  const layout =
    fileCase === "nc"
      ? "region i of rank r at (i * ranks + r) * spacing; spacing is from start to start"
      : "the block of rank r at r * count * size";
  return make(name, ranks, fileBytes, layout, (rank) => ({
    memory,
    file: fileCase === "nc" ? regions : bytes(block),
    fileStart: rank * (fileCase === "nc" ? spacing : block),
  }));
}

function flash(spec: Required<FlashSpec>): Pattern {
  const { ranks, blocks, cells, guard, variables, size } = spec;
  const side = cells + 2 * guard;
  const cell = variables * size;
  const share = blocks * cells ** 3 * size;
  exact("flash", variables * ranks * share, blocks * side ** 3 * cell);
  const row = vector(cells, cell, bytes(size));
  const box = vector(cells, side ** 2 * cell, vector(cells, side * cell, row));
  const inner = vector(variables, size, vector(blocks, side ** 3 * cell, box));
  const memory = shifted(guard * (side ** 2 + side + 1) * cell, inner);
  const file = vector(variables, ranks * share, bytes(share));
  return make(
    "flash",
    ranks,
    variables * ranks * share,
    "variable by variable, each with the blocks of all ranks in order; in memory the variables of a cell side by side, without guard cells",
    (rank) => ({ memory, file, fileStart: rank * share }),
  );
}

function ipars(spec: Required<Omit<IparsSpec, "variable">> & IparsSpec): Pattern {
  const { ranks, cells, variables, size, order, variable } = spec;
  if (ranks > cells)
    throw new UsageError(`pattern ipars: ${ranks} ranks share ${cells} cells; use fewer ranks`);
  if (variable !== undefined && variable >= variables)
    throw new UsageError(`pattern ipars: variable ${variable} of ${variables}; the first is 0`);
  exact("ipars", cells * variables * size);
  const cell = variables * size;
  const access = (rank: number): RankAccess => {
    const [first, mine] = share(cells, ranks, rank);
    // Cell by cell with all variables; and the same data variable by variable.
    const together = { cells: vector(mine, cell, bytes(size)), variable: size };
    const apart = (all: number) => ({ cells: bytes(mine * size), variable: all * size });
    const [memory, file] = order === "cell" ? [apart(mine), together] : [together, apart(cells)];
    const start = first * (order === "cell" ? cell : size);
    if (variable !== undefined)
      return {
        memory: shifted(variable * memory.variable, memory.cells),
        file: file.cells,
        fileStart: start + variable * file.variable,
      };
    if (order === "variable")
      return {
        memory: vector(variables, memory.variable, memory.cells),
        file: vector(variables, file.variable, file.cells),
        fileStart: start,
      };
    return {
      memory: vector(mine, size, vector(variables, memory.variable, bytes(size))),
      file: bytes(mine * cell),
      fileStart: start,
    };
  };
  const one = variable === undefined ? "" : `; only variable ${variable}`;
  const how = order === "cell" ? "cell by cell with all variables" : "variable by variable with all cells";
  return make(
    "ipars",
    ranks,
    order === "cell" || variable === undefined
      ? variable === undefined
        ? cells * cell
        : (cells - 1) * cell + (variable + 1) * size
      : (variable + 1) * cells * size,
    `${how}; each rank has consecutive cells${one}`,
    access,
  );
}

function subarray(spec: Required<SubarraySpec>): Pattern {
  const { grid, ranksGrid, size, ghost } = spec;
  for (const [i, cells] of grid.entries())
    if ((ranksGrid[i] as number) > cells)
      throw new UsageError(
        `pattern subarray: ${ranksGrid[i]} ranks along ${cells} cells; use fewer ranks there`,
      );
  const ranks = ranksGrid[0] * ranksGrid[1] * ranksGrid[2];
  const fileBytes = grid[0] * grid[1] * grid[2] * size;
  const side = (i: number) => Math.ceil((grid[i] as number) / (ranksGrid[i] as number)) + 2 * ghost;
  exact("subarray", fileBytes, ranks, side(0) * side(1) * side(2) * size);
  const layout = `a grid of ${grid.join(" x ")} cells cut into ${ranksGrid.join(" x ")} boxes, one for each rank`;
  return make("subarray", ranks, fileBytes, layout, (rank) => {
    const x = rank % ranksGrid[2];
    const y = ((rank - x) / ranksGrid[2]) % ranksGrid[1];
    const z = Math.floor(rank / (ranksGrid[1] * ranksGrid[2]));
    const [z0, nz] = share(grid[0], ranksGrid[0], z);
    const [y0, ny] = share(grid[1], ranksGrid[1], y);
    const [x0, nx] = share(grid[2], ranksGrid[2], x);
    const [my, mx] = [ny + 2 * ghost, nx + 2 * ghost];
    return {
      memory: shifted(ghost * (my * mx + mx + 1) * size, box(nz, ny, nx, my, mx, size)),
      file: box(nz, ny, nx, grid[1], grid[2], size),
      fileStart: ((z0 * grid[1] + y0) * grid[2] + x0) * size,
    };
  });
}

/** A box of nz x ny x nx cells in a grid whose planes have `rows` rows of `row` cells. */
function box(nz: number, ny: number, nx: number, rows: number, row: number, size: number): Datatype {
  return vector(nz, rows * row * size, vector(ny, row * size, bytes(nx * size)));
}

/** First item and number of items of one share; with a remainder the first shares get one more. */
function share(total: number, among: number, index: number): [first: number, count: number] {
  const rest = total % among;
  const each = (total - rest) / among;
  return [index * each + Math.min(index, rest), each + (index < rest ? 1 : 0)];
}

function make(
  name: string,
  ranks: number,
  fileBytes: number,
  layout: string,
  access: (rank: number) => RankAccess,
): Pattern {
  return {
    name,
    ranks,
    fileBytes,
    layout,
    access(rank) {
      if (!Number.isInteger(rank) || rank < 0 || rank >= ranks)
        throw new UsageError(`pattern ${name} has ranks 0 to ${ranks - 1}, requested ${rank}`);
      return access(rank);
    },
  };
}

function notBelow(name: string, what: string, spacing: number, size: number): void {
  if (spacing < size)
    throw new UsageError(
      `pattern ${name}: ${what} ${spacing} is below the size ${size} of a region; spacing is the distance between region starts`,
    );
}

function exact(name: string, ...numbers: readonly number[]): void {
  for (const number of numbers)
    if (!Number.isSafeInteger(number))
      throw new UsageError(`pattern ${name} goes beyond 2^53-1 bytes; use fewer or smaller regions`);
}
