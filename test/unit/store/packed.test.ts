import { deflateRawSync } from "node:zlib";

import { expect, it } from "vitest";

import { packed, repacked, toText, unpacked, unpackedBeside } from "#src/store/packed.ts";

const value = {
  reply: "Two issues\nof ana \u2028 \uD800",
  rows: Array.from({ length: 80 }, (_, at) => `row ${at}`),
};
const beside = { call_1: { ok: true, data: "of ana" } };

it("[ops.backup] reads what earlier versions kept, packed or plain", () => {
  const json = JSON.stringify(value);
  expect(unpacked(`z${deflateRawSync(json).toString("base64")}`)).toEqual(value);
  expect(unpacked(json)).toEqual(value);
  expect(unpackedBeside(json)).toBeUndefined();
});

it("keeps a value and one beside it as bytes or text, and a short one as it is", () => {
  const kept = packed(JSON.stringify(value), JSON.stringify(beside));
  for (const one of [kept, toText(kept as Uint8Array)]) {
    expect(unpacked(one)).toEqual(value);
    expect(unpackedBeside(one)).toEqual(beside);
  }
  expect(packed('{"reply":"Hello"}')).toBe('{"reply":"Hello"}');
});

it("changes both values, and leaves plain what was plain", () => {
  const anonymous = (json: string): string => json.replaceAll("ana", "somebody");
  const changed = repacked(packed(JSON.stringify(value), JSON.stringify(beside)), anonymous);
  expect(unpacked(changed)).toEqual({ ...value, reply: anonymous(value.reply) });
  expect(unpackedBeside(changed)).toEqual({ call_1: { ok: true, data: "of somebody" } });
  expect(repacked('{"question":"ana"}', anonymous)).toBe('{"question":"somebody"}');
});

it("reads what this version has packed, by every later one", () => {
  const kept =
    "yjdM7CoBAEATRu3gAsdv/YUQMFtkNxUy8u2AiIlKb10zwmDn+16S4LeUa9rkqnsn7yT+FsDAWNRYNFi0WHRY9FgMWI4tloLKqmFXsKoYVy4ppxbZiXLGuWdcZN8u6Zl2zrlnXrGvWNev6pTudFw==";
  expect(unpacked(kept)).toEqual({
    toolResults: Array.from({ length: 30 }, (_, at) => ({ toolId: `jira.get_${at}`, ok: true })),
  });
});
