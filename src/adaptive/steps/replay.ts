/** The paper's experiments as pages. */
export * from "./replay-document.ts";
export * from "./replay-policies.ts";
