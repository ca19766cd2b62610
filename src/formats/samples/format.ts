/** What collectors leave, in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { recognizeSamples } from "./index.ts";

export const serverSamples = {
  id: "server-samples",
  label: "segment of plimsoll collect server",
  recognizes: (head) => recognizeSamples(head) === "server-samples",
  rows: { alone: true },
} as const satisfies InputFormat;

export const clientReading = {
  id: "client-reading",
  label: "sample of plimsoll collect client",
  recognizes: (head) => recognizeSamples(head) === "client-reading",
  rows: { alone: true },
} as const satisfies InputFormat;
