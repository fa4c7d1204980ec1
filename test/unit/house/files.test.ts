import { expect, it } from "vitest";

import { filesOfTree } from "./tree.ts";
import type { TextFile } from "./tree.ts";

const source = await filesOfTree(/^(app|src|adapters|views|servers|bench|scripts)\/.+\.(ts|js|mjs)$/);
const written = await filesOfTree(/\.(ts|js|mjs|css|html|json|ya?ml|md|txt)$|^\.ci\//);

const self = "test/unit/house/files.test.ts";

/** Places of a pattern, as `file:line`. */
function places(files: readonly TextFile[], pattern: RegExp): string[] {
  return files.flatMap(({ file, text }) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
  );
}

it("reads the tree", () => {
  expect(source.map(({ file }) => file)).toContain("src/contract/turn.ts");
  expect(written.map(({ file }) => file)).toEqual(expect.arrayContaining([self, ".ci/run", "package.json"]));
});

it("there are no barrel files", () => {
  const barrels = source.filter(({ text }) => {
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    const rest = code.replaceAll(/^(?:import|export)\s[^;]*?from\s*["'][^"']+["'];?$/gm, "");
    return rest.trim() === "" && /^export\s/m.test(code);
  });
  expect(barrels.map(({ file }) => file)).toEqual([]);
});

it.each([
  // In quotes it may be a value of somebody's format, such as the state of a task.
  [
    "marks of unfinished work",
    /(?<!["'`])\b(?:TODO|FIXME|XXX|HACK)\b(?!["'`])|\bnot implemented\b|\bin a real system\b/,
  ],
  ["silenced types", /@ts-(?:ignore|expect-error|nocheck)\b/],
  ["tests left out or left alone", /\b(?:it|test|describe)\.(?:only|skip|todo)\(/],
  ["lint rules switched off without a reason", /\b(?:ox|es)lint-disable(?!.* -- \S)/],
  ["the host of a package registry", /\bregistry\.(?:npmjs|yarnpkg)\b|\bpypi\.org\b|\bcrates\.io\b/],
])("there are no %s", (_what, pattern) => {
  const others = written.filter(({ file }) => file !== self && file !== "package-lock.json");
  expect(places(others, pattern)).toEqual([]);
});
