import { describe, expect, it } from "vitest";
import { readMachine } from "../../sim/machines/index.ts";
import { calibrate, evaluate, machineFile, readTargets, spaceOf } from "./index.ts";

const OURS = readMachine(
  JSON.stringify({
    kind: "plimsoll machine",
    version: 1,
    name: "ours",
    targets: 8,
    parameters: {
      diskRate: 100,
      clientRate: 1000,
      dirtyLimit: 0,
      opOverhead: 0,
      diskFloor: 0.5,
      diskHalf: 10,
    },
    origins: { diskRate: "calibrated", diskHalf: "calibrated" },
  }),
  "ours.json",
);
const EFFORT = { samples: 2, tests: 2, seed: 1 };
const table = (...lines: string[]) => readTargets(lines.join("\n"), "targets.csv", OURS);

/** On a quiet machine: 8 x diskRate alone, and the Hill curve with several writers per target. */
const TRUTH = { diskRate: 160, diskHalf: 4 };
const expected = (perTarget: number) =>
  8 * TRUTH.diskRate * (0.5 + 0.5 / (1 + ((perTarget - 1) / TRUTH.diskHalf) ** 2));

const MEASURED = [
  "id,quantity,size_mb,writers,value,tolerance",
  `one,bandwidth,64,8,${expected(1)},0.02`,
  `four,bandwidth,64,32,${expected(4)},0.02`,
  `twelve,bandwidth,64,96,${expected(12)},0.02`,
];

describe("calibration", () => {
  it("finds parameters that were used to make the targets", async () => {
    const judging = table(...MEASURED);
    const options = { machine: OURS, effort: EFFORT, judging, seed: 4, step: 0.2 };
    const result = await calibrate({ ...options, goOn: (evaluations) => evaluations < 400 });
    expect(result.evaluations).toBe(400);
    expect(result.start.judged.map((one) => one.verdict)).toEqual(["missed", "missed", "missed"]);
    expect(result.best.judged.map((one) => one.verdict)).toEqual(["met", "met", "met"]);
    expect(result.machine.parameters.diskRate / TRUTH.diskRate).toBeCloseTo(1, 1);
    expect(result.machine.parameters.diskHalf / TRUTH.diskHalf).toBeCloseTo(1, 0);
    const again = await calibrate({ ...options, goOn: (evaluations) => evaluations < 400 });
    expect(again.machine.parameters).toEqual(result.machine.parameters);
  });

  it("only judges when it may not search", async () => {
    const result = await calibrate({
      machine: OURS,
      effort: EFFORT,
      judging: table(...MEASURED),
      seed: 1,
      goOn: () => false,
    });
    expect(result.machine).toBe(OURS);
    expect(result.evaluations).toBe(1);
  });

  it("frees what the machine's file calls calibrated, and says so when there is nothing", async () => {
    expect(spaceOf(OURS).map((one) => one.name)).toEqual(["diskRate", "diskHalf"]);
    const stuck = { ...OURS, origins: {} };
    const search = calibrate({
      machine: stuck,
      effort: EFFORT,
      judging: table(...MEASURED),
      seed: 1,
      goOn: () => true,
    });
    await expect(search).rejects.toThrow(/ours has no free parameter/);
  });

  it("writes a machine that reads back the same", () => {
    const fit = { loss: 1.5, seed: 1, samples: 8 };
    expect(readMachine(machineFile(OURS, fit), "x.json")).toEqual({ ...OURS, fit });
  });
});

describe("tables of targets", () => {
  it("take published checks by id, with a weight of one's own", () => {
    const { checks } = table("id,weight", "E1 mean,3", "I3,", "# a remark", "");
    expect(checks.map((one) => [one.id, one.weight])).toEqual([
      ["E1 mean", 3],
      ["I3", 1],
    ]);
  });

  it("say what is not run as not run", async () => {
    const { judged } = await evaluate(OURS, EFFORT, table("id", "E1 mean"));
    expect(judged[0]?.verdict).toBe("not run");
  });

  it.each([
    [["id,wait", "E1 mean,3"], /targets\.csv: line 1: unknown column "wait" \(known: id, weight/],
    [["weight", "3"], /line 1: expected a column id/],
    [["id", "E9"], /line 2: unknown target "E9"; published ones are J1, J2/],
    [["id", "I3", "I3"], /line 3: "I3" is listed twice/],
    [["id"], /no target in the table/],
    [["id", "I3,4"], /line 2: 2 fields, expected 1/],
    [["id,weight", "I3,much"], /line 2: weight "much": expected a number/],
    [["id,quantity", "a,speed"], /line 2: size_mb "": expected a number above 0/],
    [["id,quantity,size_mb,writers", "a,speed,1,2"], /line 2: unknown quantity "speed" \(known: bandwidth/],
    [["id,quantity,size_mb,writers", "a,seconds,1,2"], /line 2: value "": expected a number above 0/],
    [["id,quantity,size_mb,writers,value", "a,seconds,1,2.5,1"], /writers "2.5": expected a whole number/],
    [["id,quantity,size_mb,writers,value,targets", "a,seconds,1,2,1,9"], /9 targets: the machine has 8/],
    [
      ["id,quantity,size_mb,writers,value,method", "a,seconds,1,2,1,nfs"],
      /unknown method "nfs" \(known: posix/,
    ],
  ])("refuse %j in one line", (lines, message) => {
    expect(() => table(...lines)).toThrow(message);
  });
});
