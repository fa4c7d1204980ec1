import fc from "fast-check";
import { expect, it } from "vitest";

import { ConfigError } from "#src/settings/problem.ts";
import { amount } from "#test/amount.ts";

import { loadText } from "./write-config.ts";

/** Loads a text and says whether it was accepted; anything thrown but a ConfigError fails the test. */
async function accepted(text: string): Promise<boolean> {
  try {
    await loadText(text, { env: { A: "1", B: "" } });
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toBe("");
    return false;
  }
}

const key = fc.oneof(
  fc.constantFrom(
    "servers",
    "policy",
    "rules",
    "http",
    "tokens",
    "views",
    "model",
    "channels",
    "commands",
    "examples",
  ),
  fc.constantFrom(
    "name",
    "url",
    "command",
    "env",
    "tools",
    "when",
    "arg",
    "in",
    "args",
    "__proto__",
    "constructor",
    "$schema",
  ),
  fc.string({ maxLength: 8 }),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom("${A}", "${B:-2}", "${MISSING}", "${", "$${A}", "ask", "http://x", "30m"),
    fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

it("[mcp.config] no text makes the loader throw anything but its own error", async () => {
  const pieces = fc.constantFrom(
    "servers:",
    "  - ",
    "name: ",
    "&a ",
    "*a",
    "<<: ",
    "!!map ",
    "? ",
    ": ",
    "|\n",
    "[",
    "{",
    "}",
    "\n",
    "\t",
    "${A}",
    "---\n",
    "'",
    '"',
    "%YAML 1.1\n",
    "\u0000",
    "\ufeff",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.string({ unit: "binary" }),
        fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
      ),
      async (text) => {
        await accepted(text);
      },
    ),
    { numRuns: amount(300, 80) },
  );
});

it("[mcp.config] no structure makes the loader throw anything but its own error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }), async (data) => {
      await accepted(JSON.stringify(data));
    }),
    { numRuns: amount(300, 80) },
  );
});

it.each([
  ["nested ten thousand deep", "[".repeat(10_000)],
  ["nested ten thousand deep and closed", `views: ${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ["an alias of itself", "views: &a { b: *a }"],
  [
    "aliases that grow without bound",
    // Nine lists of nine aliases each: 3 GB when written out.
    [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      ...Array.from(
        { length: 9 },
        (_, i) => `${i}: &n${i} [${`*${i === 0 ? "a" : `n${i - 1}`},`.repeat(9)}]`,
      ),
    ].join("\n"),
  ],
])("refuses %s", async (_name, text) => {
  expect(await accepted(text)).toBe(false);
});
