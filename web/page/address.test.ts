import { describe, expect, it } from "vitest";
import { fingerprintIn, safeFragment } from "./address.ts";

describe("the address of the drop page", () => {
  it.each([
    [
      "#files&sort=bytes_written&order=rising&open=1.2&flat=yes",
      "#files&sort=bytes_written&order=rising&open=1.2&flat=yes",
    ],
    [
      "#timeline&calls=12.5:20/sel:13:14/by:file/pin:1:2",
      "#timeline&calls=12.5:20/sel:13:14/by:file/pin:1:2",
    ],
    ["#timeline&calls.1=0:3&from=1.5&to=2e-7&rank=3", "#timeline&calls.1=0:3&from=1.5&to=2e-7&rank=3"],
    ["#findings&severity=high&counters.sort=value", "#findings&severity=high&counters.sort=value"],
    ["#files&file=17", "#files&file=17"],
  ])("keeps the view of %s", (fragment, kept) => {
    expect(safeFragment(fragment, "0123456789ab")).toBe(`${kept}&log=0123456789ab`);
  });

  it.each([
    "#files&q=secret",
    "#files&counters.q=alice%2Fsecret",
    "#files&file=/home/alice/secret.h5",
    "#files&file=secret",
    "#files&rank=secret",
    "#files&calls=Secret_name.h5",
    "#files&sort=/home/alice",
    "#files&anything=secret",
    "#files&/home/secret",
    "#files&secret",
    "#files&toString=secret",
    "#files&log=secret",
    "#files&x.y.q=secret",
  ])("leaves names of %s out", (fragment) => {
    expect(safeFragment(fragment, "0123456789ab")).toBe("#files&log=0123456789ab");
  });

  it("takes only one section, and a fingerprint only in its place", () => {
    expect(safeFragment("#/home/alice", "0123456789ab")).toBe("#log=0123456789ab");
    expect(fingerprintIn("#files&log=0123456789ab")).toBe("0123456789ab");
    expect(fingerprintIn("#files&catalog=0123456789ab")).toBeUndefined();
  });
});
