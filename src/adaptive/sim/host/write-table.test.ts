import { expect, it } from "vitest";
import { makeSetup, policyNamed, type WriteStart } from "../../protocol/index.ts";
import { EventQueue } from "../events.ts";
import { WRITE_OK } from "../storage/index.ts";
import { Tokens } from "../storage/tokens.ts";
import { WriteEnds } from "../storage/ends.ts";
import { Network } from "./network.ts";
import { DEAD, FINISHED, Processes } from "./processes.ts";
import { WriteTable } from "./write-table.ts";

it("a write ends once, and leaves the table once", () => {
  const table = new WriteTable();
  const token = table.add(0, { file: 1, lease: 0 } as WriteStart, 0);
  table.end(token, WRITE_OK);
  expect(() => table.end(token, WRITE_OK)).toThrow("a write ends once");
  table.remove(token);
  expect(() => table.remove(token)).toThrow("leaves the table once");
});

it("a token is released once, and no more writes end than began", () => {
  const tokens = new Tokens();
  tokens.use(3, 0, 1);
  tokens.release(3);
  expect(() => tokens.release(3)).toThrow("a token is released once");
  expect(() => new WriteEnds().shift()).toThrow("no more writes end than began");
});

it("an ended process stays ended", () => {
  const setup = makeSetup(policyNamed("paper"), { writers: 2, targets: 1, sizes: 1 });
  const processes = new Processes(setup, undefined);
  processes.end(1, DEAD);
  expect(() => processes.end(1, FINISHED)).toThrow("a process ends once");
  expect(() => processes.of(1)).toThrow("stays ended");
});

it("a message goes to a rank of the run, and arrives once", () => {
  const queue = new EventQueue();
  const network = new Network({
    ...{ queue, kind: 16, ranks: 2, latencySeconds: 1, serviceSeconds: 0, faults: undefined, seed: 1 },
  });
  expect(() => network.send(0, -1, { kind: "here" }, 0)).toThrow("a rank of the run");
  network.send(0, 1, { kind: "here" }, 0);
  network.take(0);
  expect(() => network.take(0)).toThrow("a message arrives once");
});
