import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import type { DataPermit } from "#contract/tainted.ts";
import { permitIf, taint } from "#src/base/tainted.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

/**
 * What the compiler says of files written for it, by file. They stand inside the project for the time,
 * so that its names for rooms lead somewhere.
 */
async function compile(files: Record<string, string>): Promise<Map<string, string[]>> {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(root, ".tmp/types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
  const config = { extends: "../../tsconfig.json", include: Object.keys(files) };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/.bin/tsc");
  const said = await run(tsc, ["-p", join(folder, "tsconfig.json"), "--pretty", "false"], {
    cwd: root,
  }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const errors = new Map<string, string[]>();
  for (const [, path = "", line = ""] of said.matchAll(/^(\S+?)\((\d+),\d+\): error/gm)) {
    const name = path.split("/").at(-1) ?? "";
    errors.set(name, [...(errors.get(name) ?? []), line]);
  }
  return errors;
}

/** A file of src/plan as it would stand elsewhere, with a change. */
function mutated(file: string, from: string, to: string): string {
  const source = readFileSync(join(root, "src/plan", file), "utf8");
  if (from !== "") expect(source.split(from), `${file} holds "${from}" once`).toHaveLength(2);
  return source
    .replace(from, to)
    .replaceAll(/from "\.\/([^"]+)"/g, 'from "#src/plan/$1"')
    .replaceAll(/from "\.\.\/([^"]+)"/g, 'from "#src/$1"');
}

const MUTATIONS: [file: string, from: string, to: string][] = [
  ["observation.ts", "data: data.reveal(permit),", "data,"],
  ["observation.ts", "if (permit === undefined) return undefined;", ""],
  ["observation.ts", "{ error: error.reveal(permit) }", "{ error }"],
  ["planner-prompt.ts", "turn.reply.reveal(turn.permit)", "turn.reply"],
  ["planner-prompt.ts", 'turn.permit === undefined ? "" : turn.reply.reveal', "turn.reply.reveal"],
  ["planner-prompt.ts", "describeObservation(observation, share)", "observation.data"],
  ["gate.ts", "asText(data.reveal(permit))", "asText(data)"],
];

describe("tool data and the model port", () => {
  it("[privacy.mode] every way to pass the one to the other fails to compile", async () => {
    const fixture = readFileSync(join(root, "test/fixtures/leaks.txt"), "utf8");
    const wrong = fixture
      .split("\n")
      .flatMap((line, at) => (line.includes("// must not compile: ") ? [String(at + 2)] : []));
    expect(wrong.length).toBeGreaterThanOrEqual(20);
    const errors = await compile({ "leaks.ts": fixture });
    expect([...new Set(errors.get("leaks.ts"))]).toEqual(wrong);
  });

  it("[privacy.mode] code that passes the data on does not compile", async () => {
    const controls = [...new Set(MUTATIONS.map(([file]) => file))];
    const errors = await compile({
      ...Object.fromEntries(MUTATIONS.map((mutation, at) => [`mutant-${at}.ts`, mutated(...mutation)])),
      ...Object.fromEntries(controls.map((file) => [`as-is-${file}`, mutated(file, "", "")])),
    });
    const alive = MUTATIONS.filter((_, at) => !errors.has(`mutant-${at}.ts`));
    expect(alive).toEqual([]);
    expect(controls.filter((file) => errors.has(`as-is-${file}`))).toEqual([]);
  });

  it("[privacy.mode] neither text nor JSON of tool data shows it, and a permit cannot be forged", () => {
    const data = taint({ secret: "swordfish" });
    // oxlint-disable-next-line typescript/no-base-to-string -- what it makes of itself is what is tested
    expect(`${String(data)} ${JSON.stringify([data])}`).toBe('[withheld] ["[withheld]"]');
    expect(Object.values(data)).toEqual([]);
    expect(() => data.reveal({} as DataPermit)).toThrow("permit");
    expect(permitIf(false)).toEqual({});
    const { permit } = permitIf(true);
    expect(permit === undefined ? undefined : data.reveal(permit)).toEqual({ secret: "swordfish" });
  });
});
