import { closeSync, openSync } from "node:fs";
import { Writable } from "node:stream";

import { describe, expect, it } from "vitest";

import { type OutletEvents, toFile, toStream } from "#src/observe/log.ts";

function listener(): OutletEvents & { dropped: number; told: number[] } {
  const heard = {
    dropped: 0,
    told: [] as number[],
    onDrop: () => void (heard.dropped += 1),
    onAgain: (lines: number) => void heard.told.push(lines),
  };
  return heard;
}

/** A reader that takes a chunk when it is told to. */
function createReader() {
  const taken: string[] = [];
  let next: (() => void) | undefined;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      taken.push(chunk);
      next = done;
    },
  });
  return { stream, taken, take: () => next?.() };
}

describe("where the log goes", () => {
  it("[ops.logs] keeps a bounded part of it for a reader that stalls, and says how much was dropped", async () => {
    const heard = listener();
    const reader = createReader();
    const outlet = toStream(reader.stream, heard);
    const line = `${"x".repeat(1023)}\n`;
    for (let n = 0; n < 5_000; n += 1) outlet.write(line);
    expect(heard.dropped).toBeGreaterThan(3_900);
    expect(reader.stream.writableLength).toBeLessThan(1_100_000);
    expect(heard.told).toEqual([]);
    while (reader.stream.writableLength > 0) {
      reader.take();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(heard.told).toEqual([heard.dropped]);
    expect(reader.taken).toHaveLength(5_000 - heard.dropped);
    outlet.write("again\n");
    expect(reader.taken.at(-1)).toBe("again\n");
  });

  it("[ops.logs] goes on without a reader that is gone, and without a file that takes nothing", async () => {
    const heard = listener();
    const { stream } = createReader();
    const outlet = toStream(stream, heard);
    stream.destroy(new Error("EPIPE"));
    outlet.write("nobody reads this\n");
    await expect.poll(() => heard.dropped).toBe(1);

    const file = openSync("/dev/null", "r");
    const full = toFile(file, heard);
    full.write("not writable\n");
    closeSync(file);
    expect(heard.dropped).toBe(2);
  });
});
