/** Healthy parts of a program: large calls in order, shared evenly. They also show the speed of the storage. */
import { MIB } from "../log-builder.ts";
import { type Activity, bulk, close, everyRank, fileOf, open, type Setting } from "./activity.ts";
import { rateOf } from "./machine.ts";
import { closeTogether, collective, openTogether } from "./mpi.ts";

export function planHealthy(setting: Setting): Activity {
  const { draw, ranks } = setting;
  const ways = ranks >= 4 ? [ownFiles, sharedFile, togetherFile] : [ownFiles];
  return draw.pick(ways)(setting);
}

function ownFiles(setting: Setting): Activity {
  return transfers(setting, false);
}

function sharedFile(setting: Setting): Activity {
  return transfers(setting, true);
}

function transfers(setting: Setting, shared: boolean): Activity {
  const { draw, machine, ranks, parts } = setting;
  const rate = rateOf(machine, ranks);
  const kind = draw.pick(["read", "write"] as const);
  const piece = draw.pick([2, 4, 8, 16]) * MIB;
  const call = kind === "read" ? machine.readCall : machine.writeCall;
  const calls = Math.max(2, Math.round(setting.seconds / parts / (call + piece / rate)));
  return {
    parameters: { way: shared ? "shared file" : "file per rank", kind, piece, callsPerRank: calls * parts },
    run(world, part) {
      everyRank(world, (rank) => {
        const file = fileOf(setting, world, rank, shared);
        const bytes = calls * piece;
        const offset = ((shared ? rank * parts : 0) + part) * bytes;
        open(world, rank, file, machine);
        bulk(world, rank, { kind, file, offset, bytes, piece, call, rate });
        close(world, rank, file, machine);
      });
    },
  };
}

/** Enough aggregators to use all that the storage gives. */
function togetherFile(setting: Setting): Activity {
  const { machine, ranks, parts, place, word } = setting;
  const whole = machine.targets * machine.targetRate;
  const aggregators = Math.max(2, Math.min(ranks, Math.ceil(whole / machine.linkRate)));
  const total = (setting.seconds / parts) * aggregators * rateOf(machine, aggregators);
  const bytesPerRank = MIB * Math.max(1, Math.round(total / ranks / MIB));
  return {
    parameters: { way: "collective", aggregators, bytesPerRank: bytesPerRank * parts },
    run(world, part) {
      const file = place.shared(world, `${word}.dat`);
      openTogether(world, file, machine, true);
      const offset = part * bytesPerRank * ranks;
      collective(world, machine, { kind: "write", file, bytesPerRank, offset, aggregators });
      closeTogether(world, file, machine);
    },
  };
}
