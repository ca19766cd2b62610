import { describe, expect, it } from "vitest";
import { PARAMETER_NAMES, PARAMETERS } from "../storage/index.ts";
import { MACHINES, machineNamed, readMachine } from "./index.ts";

const file = (changes: object) =>
  JSON.stringify({ kind: "plimsoll machine", version: 1, name: "ours", targets: 24, ...changes });
const read = (text: string) => () => readMachine(text, "ours.json");

describe("machines of the paper", () => {
  it("have their published sizes, and an origin for every parameter", () => {
    expect(MACHINES.map(({ name, targets }) => [name, targets])).toEqual([
      ["jaguar", 672],
      ["franklin", 96],
      ["xtp", 40],
    ]);
    expect(machineNamed("jaguar").targetsPerFile).toBe(160);
    expect(machineNamed("jaguar").parameters.diskRate).toBe(180);
    for (const { name, origins, parameters, fit } of MACHINES) {
      expect(
        PARAMETER_NAMES.filter((one) => origins[one] === undefined),
        name,
      ).toEqual([]);
      for (const one of PARAMETER_NAMES) {
        expect(parameters[one]).toBeGreaterThanOrEqual(PARAMETERS[one].min);
        expect(parameters[one]).toBeLessThanOrEqual(PARAMETERS[one].max);
      }
      expect(fit?.loss, name).toBeGreaterThanOrEqual(0);
    }
  });
});

describe("a machine of one's own", () => {
  it("needs little, and is undisturbed where it says nothing", () => {
    const machine = read(file({ parameters: { diskRate: 500 } }))();
    expect([machine.name, machine.title, machine.targets, machine.targetsPerFile]).toEqual([
      "ours",
      "ours",
      24,
      24,
    ]);
    expect(machine.parameters.diskRate).toBe(500);
    expect(machine.parameters.lightStreams).toBe(0);
    expect(machine.parameters.diskFloor).toBe(1);
  });

  it.each([
    ["{", /ours\.json: expected JSON/],
    ["[]", /expected a machine file: an object with "kind": "plimsoll machine"/],
    [file({ version: 2 }), /parameter file of version 2; this program reads version 1/],
    [file({ version: undefined }), /of version undefined/],
    [file({ color: 1 }), /unknown field "color" \(known: kind, version, name/],
    [file({ targets: 0 }), /"targets": expected a whole number from 1, found 0/],
    [file({ targets: undefined }), /"targets": expected a whole number from 1, found nothing/],
    [file({ parameters: { diskrate: 1 } }), /unknown parameter "diskrate" \(known: diskRate, diskFloor/],
    [file({ parameters: { diskFloor: 2 } }), /"diskFloor": expected a number from 0.01 to 1, found 2/],
    [file({ parameters: { diskRate: "fast" } }), /from 0.001 to 1000000 MB\/s, found "fast"/],
    [file({ origins: { diskRate: "guessed" } }), /expected one of published, calibrated, assumed/],
    [file({ fit: 3 }), /"fit": expected an object/],
  ])("refuses %s in one line", (text, message) => {
    expect(read(text)).toThrow(message);
    try {
      read(text)();
    } catch (error) {
      expect((error as Error).message).not.toContain("\n");
    }
  });

  it("names what it knows when asked for another", () => {
    expect(() => machineNamed("titan")).toThrow(/unknown machine titan \(known: jaguar, franklin, xtp/);
  });
});
