/** What Plimsoll writes for people and for itself, in the catalogue of inputs: it is named rather than read as something else. */
import type { InputFormat } from "./input-format.ts";

const textOf = (head: Uint8Array) => new TextDecoder("latin1").decode(head.subarray(0, 2048));

export const store: InputFormat = {
  id: "store",
  label: "store of Plimsoll",
  recognizes: (head) => /^\s*\{\s*"kind":\s*"plimsoll (store|batch)"/.test(textOf(head)),
  takenBy: "use the option --store of plimsoll top, sql, study and others",
};

export const page: InputFormat = {
  id: "page",
  label: "report of Plimsoll",
  recognizes: (head) => /^<!doctype html>[\s\S]*<meta name="generator" content="Plimsoll /.test(textOf(head)),
  takenBy: "open it in a browser",
};
