/** One run in a process of its own, as `plimsoll sim run` has it: nothing is compiled yet. Prints what it took as JSON. */
import { METHODS, specOf } from "./methods.ts";

const [method, writers, targets, sizeMb] = process.argv.slice(2);
const run = METHODS[method as string];
if (run !== undefined) {
  const spec = specOf(Number(writers), Number(targets), Number(sizeMb));
  const began = performance.now();
  const before = process.cpuUsage();
  const { events } = run(spec);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  const mib = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(JSON.stringify({ events, seconds, cpu: (user + system) / 1e6, mib }));
}
