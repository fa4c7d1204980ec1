import fc from "fast-check";
import { expect, it } from "vitest";

import { ConfigError } from "#src/settings/problem.ts";
import { amount } from "#test/amount.ts";
import { anyCharacter } from "#test/any-character.ts";

import { loadText, refusal } from "./write-config.ts";

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
        fc.string({ unit: anyCharacter }),
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

const LEVELS = "expected at most 64 levels of lists and mappings, found more";

it.each([
  ["brackets", "[".repeat(10_000), LEVELS],
  ["brackets that close", `views: ${"[".repeat(10_000)}${"]".repeat(10_000)}`, LEVELS],
  ["maps of JSON", `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`, LEVELS],
  ["indented maps", Array.from({ length: 900 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"), LEVELS],
  ["dashes", "- ".repeat(20_000), LEVELS],
  ["a long text", `views: { a: "${"x".repeat(1_000_000)}" }`, "expected a file of at most 1000000 bytes"],
  ["200,000 servers", serverList(200_000, "{ name: a }"), "expected a file of at most 1000000 bytes"],
  ["20,000 servers", serverList(20_000, "{ name: a }"), "expected at most 30000 values and keys"],
  [
    "2,000 servers",
    serverList(2_000, "{ name: a }"),
    "servers: expected at most 500 entries, found a list of 2000",
  ],
  [
    "a mapping of 10,000 keys",
    Array.from({ length: 10_000 }, (_, n) => `key${n}: 1`).join("\n"),
    "expected at most 2000 keys in a mapping, found 10000",
  ],
  [
    "10,000 aliases",
    `x: &a 1\nviews:\n${Array.from({ length: 10_000 }, (_, n) => ` k${n}: *a`).join("\n")}`,
    /at most (100 aliases|2000 keys)/,
  ],
  [
    "a variable that fills the memory",
    `views: { a: "${"${BIG}".repeat(50_000)}" }`,
    "characters from the environment",
  ],
])("says in a line why %s is too much, whatever it would take to read it", async (_name, text, said) => {
  const { message } = await refusal(text, { env: { BIG: "x".repeat(1_000) } });
  expect(message).toMatch(said);
  expect(message.split("\n")).toHaveLength(1);
  expect(message.length).toBeLessThan(400);
});

it("shows twenty problems, and how many more there are", async () => {
  const text = `${serverList(400, "{ nam: a }")}\n${"key".repeat(300)}: 1\n`;
  const error = await refusal(text);
  const lines = error.message.split("\n");
  expect(lines).toHaveLength(21);
  // Each server lacks a name and has an unknown key; beside them stands one unknown key.
  expect(lines.at(-1)).toBe("and 781 more, which may go away with these");
  expect(lines[0]).toContain("servers[0].name: expected text, found nothing");
  for (const line of lines) expect(line.length).toBeLessThan(650);
});

it("takes what people write: five hundred servers, sixty levels", async () => {
  const { servers } = await loadText(
    `servers:\n${Array.from({ length: 500 }, (_, n) => `  - { name: s${n}, url: "http://127.0.0.1:${n + 1}/mcp" }`).join("\n")}`,
  );
  expect(servers).toHaveLength(500);
  const deep = `${"[".repeat(55)}1${"]".repeat(55)}`;
  await loadText(`examples: [{ message: a, tool: b, args: { x: ${deep} } }]`);
});

function serverList(count: number, server: string): string {
  return `servers:\n${`  - ${server}\n`.repeat(count)}`;
}
