/** Limits that more than one rule on files asks for. */

/** Files of a job from which on their number is the problem. */
export const manyFilesLeast = 4096;
/** Small files from which on a container pays. */
export const smallFilesLeast = 1000;
export const smallFileBytes = 1024 ** 2;
