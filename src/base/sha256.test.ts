import { createHash, createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { Random } from "./prng.ts";
import { base64Text, hexText, hmacSha256, Sha256 } from "./sha256.ts";

const random = new Random(5);
const bytesOf = (length: number) => Uint8Array.from({ length }, () => random.below(256));

it("hashes as Node does, whatever the length and the pieces", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = bytesOf(length);
    const cut = random.below(length + 1);
    const ours = new Sha256().update(bytes.subarray(0, cut)).update(bytes.subarray(cut)).digest();
    expect(hexText(ours)).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(base64Text(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  }
});

it("signs as Node does, with short and long keys", () => {
  for (const length of [0, 1, 63, 64, 65, 200]) {
    const [key, first, second] = [bytesOf(length), bytesOf(70), bytesOf(5)];
    expect(hexText(hmacSha256(key, first, second))).toBe(
      createHmac("sha256", key).update(first).update(second).digest("hex"),
    );
  }
});

it("takes megabytes", () => {
  const bytes = bytesOf(1 << 20);
  expect(hexText(new Sha256().update(bytes).digest())).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(base64Text(bytes)).toBe(Buffer.from(bytes).toString("base64"));
});
