/** All back ends, by their description. */
import type { Backend, BackendServices, BackendSpec } from "./backend.ts";
import { faulty } from "./faulty.ts";
import { nullBackend } from "./null.ts";
import { posix } from "./posix.ts";
import { throttled } from "./throttled.ts";

export * from "./backend.ts";
export { requireLfs } from "./posix.ts";
export { Pacer } from "./throttled.ts";

export function makeBackend(spec: BackendSpec, services: BackendServices): Backend {
  switch (spec.kind) {
    case "posix":
      return posix(spec.osts);
    case "null":
      return nullBackend();
    case "throttled":
      return throttled(makeBackend(spec.of, services), spec.rates, services);
    case "faulty":
      return faulty(makeBackend(spec.of, services), spec.faults);
  }
}

/** Whether written data can be read back. */
export function keepsData(spec: BackendSpec): boolean {
  return "of" in spec ? keepsData(spec.of) : spec.kind !== "null";
}

/** Throttle rates, or none. */
export function ratesOf(spec: BackendSpec): readonly number[] {
  return spec.kind === "throttled" ? spec.rates : "of" in spec ? ratesOf(spec.of) : [];
}
