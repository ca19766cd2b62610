// kill -9 of any process of a write, at moments drawn at random. PLIMSOLL_KILLS=200 tries that many of each role.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { testSeed } from "../seed.ts";
import { killOnce, type Moment, type Outcome, type Role, ROLES } from "./write-kill-kit.ts";

const kills = Number(process.env.PLIMSOLL_KILLS ?? 5);
const seed = testSeed(8812);
const roles = Object.keys(ROLES) as Role[];
const root = mkdtempSync(join(tmpdir(), "plimsoll-kill-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each(roles)(
  `kill -9 of the %s (${kills} times, seed ${seed})`,
  async (role) => {
    const random = Random.stream(seed, roles.indexOf(role), 0);
    const counts = new Map<Outcome, number>();
    for (let i = 0; i < kills; i++) {
      const policy = random.unit() < 0.5 ? "plimsoll" : "paper";
      // Most moments lie in the writing, some in the start, and some hit nobody any more.
      const from: Moment["from"] = random.unit() < 0.2 ? "start" : "data";
      const moment = { from, delayMs: random.unit() * 900 };
      const what = `${role} ${i}, seed ${seed}`;
      const outcome = await killOnce(join(root, "place"), { role, policy, moment, what });
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
    const each = [...counts].map(([outcome, count]) => `${count} ${outcome}`);
    console.log(`kill -9 of the ${role}: ${each.join(", ")}`);
  },
  60_000 + kills * 60_000,
);
