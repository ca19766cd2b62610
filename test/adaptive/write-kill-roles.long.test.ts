// kill -9 of any process of a write, once each, when the first data is on a target. The campaign is write-kill.long.test.ts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { killOnce, type Role } from "./write-kill-kit.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-kill-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const moment = { from: "data", delayMs: 0 } as const;

it.each<[Role, "plimsoll" | "paper"]>([
  ["coordinator", "plimsoll"],
  ["sub-coordinator", "plimsoll"],
  ["writer", "paper"],
  ["coordinator and another", "plimsoll"],
])("kill -9 of the %s", async (role, policy) => {
  // Whether the others complete it or had done so before is up to the machine; that it is whole in the end is not.
  await killOnce(join(root, "place"), { role, policy, moment, what: role });
});

it.each<Role>(["launcher", "all"])("kill -9 of the %s: --resume completes the write", async (role) => {
  const kill = { role, policy: "paper", moment, endless: true, what: role } as const;
  expect(await killOnce(join(root, "place"), kill)).toBe("absent, completed by --resume");
});
