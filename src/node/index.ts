/** What Node adds for users of the library: files and codecs. */
export { nodeCodecs } from "./codecs.ts";
export { nodeEncoders } from "./encoders.ts";
export { type FileSource, openFile, withFile } from "./file-source.ts";
export { createOutput, type OutputFile } from "./output-file.ts";
