import { expect, it } from "vitest";
import { BlockQueue } from "./block-queue.ts";
import { CoordinatorLink } from "./coordinator-link.ts";
import { fileId, groupEpoch } from "./ids.ts";
import { groupOfRank } from "./layout.ts";
import { staticPolicy } from "./policies/static.ts";
import { makeSetup } from "./setup.ts";

const setup = makeSetup(staticPolicy, { writers: 2, targets: 1, sizes: [100, 50] });
const queue = () => new BlockQueue(setup, 0, true);
const take = (blocks: BlockQueue) => blocks.take(40, (block) => block, 0) ?? expect.unreachable();

it("a piece is written or given back, and neither twice", () => {
  const blocks = queue();
  const [first, second] = [take(blocks), take(blocks)];
  blocks.accept(first, 0, 0, undefined);
  expect(() => blocks.accept(first, 0, 0, undefined)).toThrow("a piece enters the index once");
  expect(() => blocks.giveBack(first)).toThrow("a piece is given back once");
  blocks.giveBack(second);
  expect(() => blocks.giveBack(second)).toThrow("a piece is given back once");
  expect(blocks.writtenBytes + blocks.waitingBytes).toBe(150);
});

it("what waits lies in a block of the group", () => {
  expect(() => queue().wait(0, 90, 20, 1)).toThrow("lies in its block");
  expect(() => queue().wait(2, 0, 1, 1)).toThrow("of this group");
});

it("ranks, files and epochs stay in the numbers that they may have", () => {
  expect(() => groupOfRank(setup.layout, 2)).toThrow("a rank of the run");
  expect(() => fileId(0, 1, 0, 64)).toThrow("out of range");
  expect(() => new CoordinatorLink(0, groupEpoch(2, 1), 0, 3)).toThrow("its own epochs");
});
