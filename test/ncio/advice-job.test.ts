// Findings on small and strided accesses name the pattern of `plimsoll ncio` that fits the log, where counters support one.

import { describe, expect, it } from "vitest";
import { findingOf, worked } from "../../src/analyze/job/rules/test-kit.ts";
import { plimsoll } from "../adaptive/write-kit.ts";

const command = (advice: string): string | undefined => /plimsoll ncio .*$/.exec(advice)?.[0];

describe("the pattern that fits a log", () => {
  it("is the strided one, with the ranks between one another", () => {
    const job = worked(8, (app, rank, file) => {
      for (let i = 0; i < 400; i++)
        app.write("POSIX", rank, file, { offset: (i * 8 + rank) * 4096, bytes: 512 });
    });
    expect(command(findingOf(job, "noncontiguous").advice)).toBe(
      "plimsoll ncio --case c-nc --count 400 --size 512 --spacing 4096 -n 8",
    );
  });

  it("is read where the log reads, and can be run as it stands", () => {
    const job = worked(1, (app, rank, file) => {
      for (let i = 0; i < 2000; i++) app.read("POSIX", rank, file, { offset: i * 1024, bytes: 64 });
    });
    const line = command(findingOf(job, "noncontiguous").advice) as string;
    expect(line).toBe(
      "plimsoll ncio --case c-nc --count 2000 --size 64 --spacing 1024 -n 1 --direction read",
    );
    const words = [...line.split(" ").slice(1), "--backend", "memory", "--repeats", "1", "--warm-ups", "0"];
    expect(plimsoll(...words, "--pause", "0").code).toBe(0);
  });

  it("is contiguous in the file for small writes one after the other", () => {
    const job = worked(4, (app, rank, file) => {
      for (let i = 0; i < 1000; i++)
        app.write("POSIX", rank, file, { offset: (rank * 1000 + i) * 8192, bytes: 8192 });
    });
    expect(command(findingOf(job, "small-writes").advice)).toBe(
      "plimsoll ncio --case nc-c --count 1000 --size 8192 --spacing 16384 -n 4",
    );
  });

  it("is none when ranks cannot lie between one another", () => {
    // Each rank has a range of its own, with gaps that are too short for the others.
    const job = worked(8, (app, rank, file) => {
      for (let i = 0; i < 400; i++)
        app.write("POSIX", rank, file, { offset: rank * 4_000_000 + i * 1024, bytes: 512 });
    });
    expect(command(findingOf(job, "noncontiguous").advice)).toBeUndefined();
  });

  it("is none when sizes differ, or reads and writes are mixed", () => {
    const sizes = worked(4, (app, rank, file) => {
      let offset = rank * 100_000_000;
      for (let i = 0; i < 1000; i++) {
        const bytes = 5000 + (i % 100) * 16;
        app.write("POSIX", rank, file, { offset, bytes });
        offset += bytes;
      }
    });
    expect(command(findingOf(sizes, "small-writes").advice)).toBeUndefined();
    const mixed = worked(1, (app, rank, file) => {
      for (let i = 0; i < 2000; i++) app.write("POSIX", rank, file, { offset: i * 1024, bytes: 64 });
      for (let i = 0; i < 1500; i++) app.read("POSIX", rank, file, { offset: i * 1024, bytes: 64 });
    });
    expect(command(findingOf(mixed, "noncontiguous").advice)).toBeUndefined();
  });
});
