/** Stands in for the package wherever a test imports it (vitest.config.ts): the same module, with a fixed seed. */
import fc from "../node_modules/fast-check/lib/fast-check.js";
import { testSeed } from "./seed.ts";

fc.configureGlobal({ seed: testSeed(20260731) });

export * from "../node_modules/fast-check/lib/fast-check.js";
export default fc;
