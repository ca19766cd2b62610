/** Writes in flight by token, their id in the storage model. */
import { assert } from "../../../base/assert.ts";
import type { FileId, Rank, WriteStart } from "../../protocol/index.ts";
import type { WriteStatus } from "../storage/index.ts";

export class WriteTable {
  readonly #orders: (WriteStart | undefined)[] = [];
  readonly #ranks: number[] = [];
  readonly #starts: number[] = [];
  /** Status of an ended write until its process is informed. */
  readonly #ended: (WriteStatus | undefined)[] = [];
  readonly #free: number[] = [];

  add(rank: Rank, order: WriteStart, now: number): number {
    const token = this.#free.pop() ?? this.#orders.length;
    assert(this.#orders[token] === undefined, "a token belongs to one write at a time");
    this.#orders[token] = order;
    this.#ranks[token] = rank;
    this.#starts[token] = now;
    this.#ended[token] = undefined;
    return token;
  }

  /** The token may be used again. */
  remove(token: number): void {
    assert(this.#orders[token] !== undefined, "a write leaves the table once");
    this.#orders[token] = undefined;
    this.#free.push(token);
  }

  end(token: number, status: WriteStatus): void {
    assert(this.#orders[token] !== undefined && this.#ended[token] === undefined, "a write ends once");
    this.#ended[token] = status;
  }

  /** Undefined for a free token. */
  order(token: number): WriteStart | undefined {
    return this.#orders[token];
  }

  rank(token: number): Rank {
    return this.#ranks[token] as number;
  }

  start(token: number): number {
    return this.#starts[token] as number;
  }

  status(token: number): WriteStatus | undefined {
    return this.#ended[token];
  }

  find(rank: Rank, file: FileId, lease: number): number | undefined {
    for (let token = 0; token < this.#orders.length; token++) {
      const order = this.#orders[token];
      if (order !== undefined && order.file === file && order.lease === lease && this.#ranks[token] === rank)
        return token;
    }
    return undefined;
  }

  of(rank: Rank): number[] {
    const tokens: number[] = [];
    for (let token = 0; token < this.#orders.length; token++)
      if (this.#orders[token] !== undefined && this.#ranks[token] === rank) tokens.push(token);
    return tokens;
  }
}
