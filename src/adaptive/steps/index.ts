/** Output steps of the adaptive writer and of the simulator, by the same code. */
export { alternativesDocument } from "./alternatives-document.ts";
export * from "./document.ts";
export * from "./facts.ts";
export * from "./repeats.ts";
export { replayDocument, replayVerdict } from "./replay.ts";
export { replayJson, samplesCsv } from "./replay-results.ts";
export { whatIfDocument, whatIfVerdict } from "./what-if-document.ts";
export { plantedDocument, plantedVerdict } from "./planted-document.ts";
