/** Files to drop: sound ones, damaged ones, and what is none. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sampleLogs } from "../../src/generate/samples.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";

/** Writes them into a folder: logs of `sampleLogs`, cut.darshan, turned.darshan, empty.darshan, notes.txt, secret-calls.csv. */
export function writeSamples(folder: string): void {
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  const samples = sampleLogs(1, nodeEncoders);
  for (const { name, bytes } of samples) write(`${name}.darshan`, bytes);
  const { bytes = new Uint8Array(0) } = samples[0] ?? {};
  write("cut.darshan", bytes.subarray(0, Math.floor(bytes.length * 0.7)));
  const turned = Buffer.from(samples.find(({ name }) => name === "slow-checkpoint")?.bytes ?? []);
  turned.fill(0, Math.floor(turned.length * 0.8), Math.floor(turned.length * 0.8) + 2000);
  write("turned.darshan", turned);
  write("empty.darshan", "");
  write("notes.txt", "Lorem ipsum dolor sit amet.\n");
  const call = (i: number) => `${i % 4},4096,${i / 10},${i / 10 + 0.05},/home/alice/secret.h5,write`;
  write(
    "secret-calls.csv",
    `pid,bytes,start,end,file,op\n${Array.from({ length: 50 }, (_, i) => call(i)).join("\n")}\n`,
  );
}
