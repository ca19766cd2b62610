/** A dataset as its readers see it: variables, parts of arrays, and whether every byte is what was written. */
import type { Crc32 } from "../../base/crc32.ts";
import { FormatError, UsageError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { type BlockSums, dataBytes, readChecksums } from "./checksums.ts";
import { type BpBlock, type BpVariable, fullName } from "./index-data.ts";
import { type BpFile, readBp } from "./read-index.ts";
import { type Copy, copiesOf, type Selection, selectionOf, shapeOf, stepsOf } from "./select.ts";

/** How the files of a dataset are opened. */
interface DatasetFiles {
  readonly main: ByteSource;
  /** Data file k of a set with subfiles. */
  subfile(k: number): ByteSource;
  readonly crc32: Crc32;
}

interface ReadRequest {
  /** Position of the step among those of the variable, from 0; the last when absent. */
  readonly step?: number;
  readonly start?: readonly number[];
  readonly count?: readonly number[];
  /** Do not compare checksums. */
  readonly unchecked?: boolean;
  /** Give the result in pieces of about this many bytes. */
  readonly pieceBytes?: number;
}

/** One block that was looked at. */
export interface BlockCheck {
  readonly variable: string;
  /** From 0. */
  readonly step: number;
  readonly block: number;
  readonly bytes: number;
  /** What is wrong with it; undefined when it is what was written. */
  readonly damage: string | undefined;
}

const PIECE_BYTES = 16 << 20;
/** Variables that a message lists. */
const NAMES_TOLD = 16;

export class BpDataset {
  readonly file: BpFile;
  readonly #files: DatasetFiles;
  readonly #sums: Map<BpBlock, BlockSums> | undefined;

  constructor(files: DatasetFiles) {
    this.#files = files;
    this.file = readBp(files.main);
    this.#sums = readChecksums(this.file, files.main.name);
  }

  get hasChecksums(): boolean {
    return this.#sums !== undefined;
  }

  variable(name: string): BpVariable {
    const found = this.file.variables.find((one) => fullName(one) === name || `/${fullName(one)}` === name);
    if (found !== undefined) return found;
    const { length } = this.file.variables;
    const first = this.file.variables.slice(0, NAMES_TOLD).map(fullName).join(", ") || "none";
    const names = length > NAMES_TOLD ? `${first} and ${length - NAMES_TOLD} more` : first;
    throw new UsageError(`${this.file.name} has no variable "${name}" (it has: ${names})`);
  }

  /** Blocks of a step, and its shape when they form one array. */
  step(variable: BpVariable, position?: number): { blocks: BpBlock[]; shape: readonly number[] | undefined } {
    const steps = stepsOf(variable);
    const wanted = steps[position ?? steps.length - 1];
    if (wanted === undefined) {
      throw new UsageError(
        `"${fullName(variable)}" has ${steps.length} steps, numbered from 0; there is no step ${position}`,
      );
    }
    const blocks = variable.blocks.filter(({ step }) => step === wanted);
    return { blocks, shape: shapeOf(blocks) };
  }

  /** Elements in row-major order, in the byte order of this machine, piece by piece. */
  *read(variable: BpVariable, request: ReadRequest = {}): Generator<Uint8Array> {
    const { blocks, shape } = this.step(variable, request.step);
    for (const { transform } of blocks) {
      if (transform !== undefined) {
        throw new FormatError(
          this.file.name,
          {},
          `"${fullName(variable)}" is compressed with ${transform}, which is not supported; bpls can print it`,
        );
      }
    }
    const [first] = blocks;
    if (first?.dimensions.length === 0) {
      yield this.#ordered((first.value ?? new Uint8Array(0)).slice(), variable);
      return;
    }
    if (shape === undefined) {
      throw new UsageError(
        `the ${blocks.length} blocks of "${fullName(variable)}" are local arrays; choose one with --block`,
      );
    }
    const wanted = selectionOf(variable, shape, request);
    const pieceElements = Math.max(1, Math.floor((request.pieceBytes ?? PIECE_BYTES) / variable.type.size));
    for (const piece of cutSelection(wanted, pieceElements)) {
      yield this.#gather(variable, blocks, piece, request.unchecked ?? false);
    }
  }

  /** The whole of one block. */
  *readBlock(variable: BpVariable, block: BpBlock, unchecked = false): Generator<Uint8Array> {
    const total = dataBytes(variable, block);
    const whole = { block: 0, from: block.payloadOffset, to: 0, length: total };
    const out = new Uint8Array(total);
    this.#copy(variable, block, whole, out, unchecked);
    yield this.#ordered(out, variable);
  }

  /** Looks at every block; reads all data once. */
  *verify(): Generator<BlockCheck> {
    for (const variable of this.file.variables) {
      const numbers = new Map<number, number>();
      for (const block of variable.blocks) {
        const number = numbers.get(block.step) ?? 0;
        numbers.set(block.step, number + 1);
        yield {
          variable: fullName(variable),
          step: block.step - 1,
          block: number,
          bytes: dataBytes(variable, block),
          damage: this.#damageOf(variable, block),
        };
      }
    }
  }

  #damageOf(variable: BpVariable, block: BpBlock): string | undefined {
    const bytes = dataBytes(variable, block);
    if (bytes === 0) return undefined;
    const sums = this.#sums?.get(block);
    const chunkBytes = sums?.chunkBytes ?? 1 << 20;
    try {
      const source = this.#sourceOf(block);
      for (let at = 0, chunk = 0; at < bytes; at += chunkBytes, chunk++) {
        const length = Math.min(chunkBytes, bytes - at);
        this.#chunk(source, block.payloadOffset + at, length, sums?.sums[chunk]);
      }
    } catch (error) {
      if (error instanceof FormatError) return error.message;
      throw error;
    }
    return undefined;
  }

  #gather(
    variable: BpVariable,
    blocks: readonly BpBlock[],
    piece: Selection,
    unchecked: boolean,
  ): Uint8Array {
    const { size } = variable.type;
    const out = new Uint8Array(piece.count.reduce((product, many) => product * many, size));
    const ordered = this.#rowMajor(blocks);
    let filled = 0;
    for (const copy of copiesOf(ordered, piece, size)) {
      this.#copy(variable, blocks[copy.block] as BpBlock, copy, out, unchecked);
      filled += copy.length;
    }
    if (filled < out.length) {
      throw new FormatError(
        this.file.name,
        {},
        `"${fullName(variable)}" has no data for ${(out.length - filled) / size} of the requested elements`,
      );
    }
    return this.#ordered(out, variable);
  }

  /** Column-major files list the fastest dimension first. */
  #rowMajor(blocks: readonly BpBlock[]): readonly BpBlock[] {
    return this.file.groups[0]?.fortran
      ? blocks.map((block) => ({ ...block, dimensions: block.dimensions.toReversed() }))
      : blocks;
  }

  #copy(variable: BpVariable, block: BpBlock, copy: Copy, out: Uint8Array, unchecked: boolean): void {
    const source = this.#sourceOf(block);
    const sums = unchecked ? undefined : this.#sums?.get(block);
    if (sums === undefined) {
      out.set(this.#chunk(source, copy.from, copy.length, undefined), copy.to);
      return;
    }
    // Only whole chunks can be checked, so those that the copy touches are read whole.
    const { chunkBytes } = sums;
    const bytes = dataBytes(variable, block);
    const [from, end] = [copy.from - block.payloadOffset, copy.from - block.payloadOffset + copy.length];
    for (let chunk = Math.floor(from / chunkBytes); chunk * chunkBytes < end; chunk++) {
      const start = chunk * chunkBytes;
      const length = Math.min(chunkBytes, bytes - start);
      const data = this.#checkedChunk(source, {
        block,
        chunk,
        start,
        length,
        sum: sums.sums[chunk] as number,
      });
      const low = Math.max(from, start);
      const high = Math.min(end, start + length);
      out.set(data.subarray(low - start, high - start), copy.to + low - from);
    }
  }

  /** The chunk that was read last; many small copies come from one. */
  #last: { block: BpBlock; chunk: number; data: Uint8Array } | undefined;

  #checkedChunk(
    source: ByteSource,
    wanted: { block: BpBlock; chunk: number; start: number; length: number; sum: number },
  ): Uint8Array {
    const { block, chunk, start, length, sum } = wanted;
    if (this.#last?.block === block && this.#last.chunk === chunk) return this.#last.data;
    const data = this.#chunk(source, block.payloadOffset + start, length, sum);
    this.#last = { block, chunk, data };
    return data;
  }

  #chunk(source: ByteSource, offset: number, length: number, sum: number | undefined): Uint8Array {
    const data = source.read(offset, length);
    if (data.length < length) {
      throw new FormatError(source.name, { offset: offset + data.length }, "the file ends inside a block");
    }
    if (sum !== undefined) {
      const found = this.#files.crc32(data);
      if (found !== sum) {
        const hex = (value: number) => value.toString(16).padStart(8, "0");
        throw new FormatError(
          source.name,
          { offset },
          `damaged data: the checksum of ${length} bytes is ${hex(found)}, expected ${hex(sum)}`,
        );
      }
    }
    return data;
  }

  #sourceOf(block: BpBlock): ByteSource {
    return block.subfile === undefined || !this.file.global
      ? this.#files.main
      : this.#files.subfile(block.subfile);
  }

  #ordered(bytes: Uint8Array, { type }: BpVariable): Uint8Array {
    if (this.file.littleEndian || type.size < 2) return bytes;
    const unit = type.kind === "complex" ? type.size / 2 : type.size;
    for (let at = 0; at < bytes.length; at += unit) bytes.subarray(at, at + unit).reverse();
    return bytes;
  }
}

/** Cuts a selection into parts of at most this many elements, along its slowest dimensions, in row-major order. */
function* cutSelection(selection: Selection, elements: number): Generator<Selection> {
  const { start, count } = selection;
  const total = count.reduce((product, many) => product * many, 1);
  if (total <= elements) {
    yield selection;
    return;
  }
  const axis = count.findIndex((many) => many > 1);
  const slice = total / (count[axis] as number);
  const rows = Math.max(1, Math.floor(elements / slice));
  for (let row = 0; row < (count[axis] as number); row += rows) {
    const many = Math.min(rows, (count[axis] as number) - row);
    const part = {
      start: start.map((from, d) => (d === axis ? from + row : from)),
      count: count.map((old, d) => (d === axis ? many : old)),
    };
    yield* cutSelection(part, elements);
  }
}
