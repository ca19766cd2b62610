/** Messages between processes as plain data for structured cloning. */
import { assert } from "../../../base/assert.ts";
import { IndexColumns, type Message } from "../../protocol/index.ts";
import type { HostSetting } from "../host/setting.ts";
import type { HostNews, HostOrder } from "./hosts-run.ts";

/** To a process. */
export type ToHost =
  | { readonly kind: "start"; readonly setting: HostSetting; readonly index: number }
  | { readonly kind: "deliver"; readonly from: number; readonly to: number; readonly message: Message }
  | HostOrder
  | { readonly kind: "end" };

/** From a process. */
export type FromHost =
  | { readonly kind: "ready" }
  | { readonly kind: "send"; readonly from: number; readonly to: number; readonly message: Message }
  | HostNews;

/** Drops the spare capacity of columns. */
export function packMessage(message: Message): Message {
  if (!("entries" in message) || !(message.entries instanceof IndexColumns)) return message;
  const { count, block, at, length, file, offset, checksum } = message.entries;
  assert(count <= at.length, "columns have capacity for their entries");
  const entries = {
    count,
    block: block.slice(0, count),
    at: at.slice(0, count),
    length: length.slice(0, count),
    file: file.slice(0, count),
    offset: offset.slice(0, count),
    checksum,
  };
  return { ...message, entries } as unknown as Message;
}

export function unpackMessage(message: Message): Message {
  if (message.kind !== "group-complete") return message;
  assert(message.entries.count === message.entries.at.length, "columns travel without spare capacity");
  return { ...message, entries: Object.assign(new IndexColumns(0), message.entries) } as Message;
}
