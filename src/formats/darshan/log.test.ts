import { expect, it } from "vitest";
import { layOut } from "../../../test/fuzz/build-log.ts";
import { Random } from "../../../test/fuzz/random.ts";
import { synthesizeLog } from "../../../test/fuzz/synthesize.ts";
import { oracleRead } from "../../../test/oracle/darshan-oracle.ts";
import { bytesSource } from "../../base/source.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { DarshanLog } from "./log.ts";

it("a module that is read twice is warned of once", () => {
  let tried = 0;
  for (let index = 0; tried < 3; index++) {
    const bytes = layOut(synthesizeLog(new Random(4, index)));
    const leftOut = oracleRead(bytes).modules.find(({ leftOut: count }) => count > 0)?.leftOut;
    if (leftOut === undefined) continue;
    tried++;
    const log = new DarshanLog(bytesSource(bytes), { codecs: nodeCodecs });
    for (let pass = 0; pass < 2; pass++) {
      for (const entry of log.modules) for (const _ of log.records(entry));
    }
    expect(log.warnings.filter((line) => line.includes("left out"))).toEqual([
      `${leftOut} POSIX records of version 1 mix stdio and POSIX calls and are left out`,
    ]);
  }
});
