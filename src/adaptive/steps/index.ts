/** Output steps of the adaptive writer and of the simulator, by the same code. */
export * from "./document.ts";
export * from "./facts.ts";
export * from "./repeats.ts";
