import { describe, expect, it } from "vitest";
import { UsageError } from "../../base/errors.ts";
import { identityOf, jobIdTemplate } from "./job-id-template.ts";

describe("templates of job ids", () => {
  it.each([
    ["%j", "123456", { job: "123456" }],
    ["%e.%u", "rsync.5021", { program: "rsync", uid: "5021" }],
    ["%e.%u.%h", "dd.1001.node1.site.org", { program: "dd", uid: "1001", host: "node1.site.org" }],
    ["%e.%u", "kworker/86:1.0", { program: "kworker/86:1", uid: "0" }],
    ["%j:%u", "123:1001", { job: "123", uid: "1001" }],
    ["%j:%u:%H", ":0:login1", { job: "", uid: "0", host: "login1" }],
    ["%H:%j", "cab0012:123", { host: "cab0012", job: "123" }],
    ["%C:%j", "cab:123", { cluster: "cab", job: "123" }],
    ["%j@%C", "123@quartz-2", { job: "123", cluster: "quartz-2" }],
    ["%.7e.%u", "a.out x.17", { program: "a.out x", uid: "17" }],
    ["S%j_(%p)", "S12_(99)", { job: "12" }],
    ["%j", "1234.server", { job: "1234.server" }],
  ])("%s of %s", (template, id, parts) => {
    expect(jobIdTemplate(template)(id)).toEqual(parts);
  });

  it.each([
    ["%j:%u", "123"],
    ["%C:%j", "123"],
    ["%C:%j", "12:123"],
    ["%e.%u", "dd.x"],
  ])("%s is not the form of %s", (template, id) => {
    expect(jobIdTemplate(template)(id)).toBeUndefined();
  });

  it.each(["%q:%j", "%", "50%", "%toString"])("%s has a code that is none", (template) => {
    expect(() => jobIdTemplate(template)).toThrow(UsageError);
    expect(() => jobIdTemplate(template)).toThrow(/is not a jobid_name code \(known: %j/);
  });

  it("must name a job or a user", () => {
    expect(() => jobIdTemplate("%H")).toThrow(/neither %j nor %u/);
  });

  it("give the job, its cluster, or who did it without one", () => {
    const templates = ["%C:%j", "%j:%u:%H", "%e.%u.%h"].map(jobIdTemplate);
    const of = (id: string, cluster?: string) => Object.values(identityOf(id, templates, cluster));
    expect(of("cab:123", "other")).toEqual(["123", "cab", undefined, undefined]);
    expect(of("123:1001:n1", "cab")).toEqual(["123", "cab", 1001n, "n1"]);
    expect(of(":1001:login1")).toEqual(["-.1001", undefined, 1001n, "login1"]);
    expect(of("dd.1001.n1")).toEqual(["dd.1001", undefined, 1001n, "n1"]);
    expect(of("kworker", "cab")).toEqual(["kworker", "cab", undefined, undefined]);
    // No user has that number of digits.
    expect(of("dd.99999999999.n1")).toEqual(["dd.99999999999", undefined, undefined, "n1"]);
    expect(of("")).toEqual(["", undefined, undefined, undefined]);
  });
});
