/** Findings for CI systems. */
export type { CiInput } from "./input.ts";
export { junitText } from "./junit.ts";
export { sarifText } from "./sarif.ts";
