/** The machines of the paper, and the reader of machine files. */

import { UsageError } from "../../../base/errors.ts";
import franklin from "./franklin.json" with { type: "json" };
import jaguar from "./jaguar.json" with { type: "json" };
import { type Machine, machineOf } from "./machine.ts";
import xtp from "./xtp.json" with { type: "json" };

export { type Machine, readMachine, withParameters } from "./machine.ts";

export const MACHINES: readonly Machine[] = [
  machineOf(jaguar, "machines/jaguar.json"),
  machineOf(franklin, "machines/franklin.json"),
  machineOf(xtp, "machines/xtp.json"),
];

/** A machine of the paper by name. */
export function machineNamed(name: string): Machine {
  const machine = MACHINES.find((one) => one.name === name);
  if (machine === undefined)
    throw new UsageError(
      `unknown machine ${name} (known: ${MACHINES.map((one) => one.name).join(", ")}; a file of your own ends in .json)`,
    );
  return machine;
}
