/** Every log at hand and its own conversion say the same. */

import { basename, join } from "node:path";
import { describe, it } from "vitest";
import { makeSingle, SINGLE_LOGS } from "../../src/generate/single/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { expectNoChange, FIXTURES, logsIn, older, save, useSameFolder } from "./darshan-same.ts";

useSameFolder();
import { describeWithPublicData, publicLogFolder } from "../reference-data.ts";

describe("no change between a log and its conversion", () => {
  const logs = [FIXTURES, join(FIXTURES, "pathologies")].flatMap(logsIn);
  it.each(logs.map((path) => [basename(path), path] as const))("%s", async (_, path) => {
    await expectNoChange(path);
  });

  it.each(SINGLE_LOGS.map((log) => [log.id, log] as const))(
    "%s, as made and as an older release would have left it",
    async (id, log) => {
      const { bytes } = makeSingle(log, 1, nodeEncoders);
      await expectNoChange(save(`${id}.darshan`, bytes));
      await expectNoChange(save(`${id}-old.darshan`, older(bytes, 21)));
    },
  );
});

describeWithPublicData("no change between a real log and its conversion", () => {
  it.each(logsIn(publicLogFolder).map((path) => [basename(path), path] as const))("%s", async (_, path) => {
    await expectNoChange(path);
  });
});
