/** The machine that an option names: one of ours, or a file. */
import { readFileSync } from "node:fs";
import { type Machine, machineNamed, readMachine } from "../../adaptive/sim/machines/index.ts";

export function machineFrom(name: string): Machine {
  return name.endsWith(".json") ? readMachine(readFileSync(name, "utf8"), name) : machineNamed(name);
}
