/** Messages between the ranks of a parallel run about a write. Each message carries the number of its run. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Message } from "../../protocol/index.ts";
import type { HostSetting } from "../host/setting.ts";
import type { HostNews, HostOrder } from "./hosts-run.ts";

/** To a rank that hosts writers; `deliver` comes from another such rank, the rest from rank 0. */
export type ToRank =
  | {
      readonly kind: "start";
      readonly setting: HostSetting;
      readonly index: number;
      /** Machine with the clock of `setting.beganSeconds`. */
      readonly machine: string;
    }
  | { readonly kind: "deliver"; readonly from: number; readonly to: number; readonly message: Message }
  /** Seconds since the run began. */
  | { readonly kind: "clock"; readonly elapsed: number }
  | HostOrder
  | { readonly kind: "stop" }
  | { readonly kind: "quit" };

/** To rank 0. */
export type FromRank =
  | { readonly kind: "bye" }
  | ({ readonly run: number } & (
      | { readonly kind: "clock" }
      | { readonly kind: "alive" }
      /** With its pid if it runs on the machine of rank 0. */
      | { readonly kind: "ready"; readonly pid: number | undefined }
      | HostNews
      | { readonly kind: "stopped" }
    ));

/** Processes with the same name share a clock. */
export function machineName(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return hostname();
  }
}
