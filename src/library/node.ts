/** `plimsoll/node`: what Node adds for users of the library: files and codecs. */
export { nodeCodecs } from "../node/codecs.ts";
export { nodeEncoders } from "../node/encoders.ts";
export { type FileSource, openFile, withFile } from "../node/file-source.ts";
export { createOutput, type OutputFile } from "../node/output-file.ts";
