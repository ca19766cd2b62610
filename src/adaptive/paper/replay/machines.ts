/** The machines of the paper, some replaced by the user's. */
import { UsageError } from "../../../base/errors.ts";
import { MACHINES, type Machine } from "../../sim/machines/index.ts";

/** Machines of the paper, each replaced by the given one of its name. */
export function machinesWith(given: readonly Machine[]): Machine[] {
  const known = MACHINES.map(({ name }) => name);
  for (const { name } of given)
    if (!known.includes(name))
      throw new UsageError(
        `machine file of "${name}": the paper's experiments run on ${known.join(", ")}; give it the name of the machine it replaces`,
      );
  return MACHINES.map((machine) => given.find(({ name }) => name === machine.name) ?? machine);
}

export function machineAmong(machines: readonly Machine[]): (name: string) => Machine {
  return (name) => {
    const machine = machines.find((one) => one.name === name);
    if (machine === undefined) throw new UsageError(`unknown machine ${name}`);
    return machine;
  };
}
