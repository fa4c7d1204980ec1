import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

import { beforeAll, expect, it } from "vitest";

import { lint, root } from "./lint.ts";

const below = ["src/contract", "src/base"];
const chats = [...below, "adapters/document", "adapters/chat"];

/** Each room and the rooms it may import besides itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "src/contract": [],
  "src/base": ["src/contract"],
  "src/settings": below,
  "src/plan": below,
  "src/model": below,
  "src/policy": below,
  "src/mcp/catalogue": below,
  "src/mcp/connect": [...below, "src/mcp/catalogue"],
  "src/mcp/auth": [...below, "src/mcp/connect"],
  "src/mcp/call": [...below, "src/mcp/catalogue", "src/mcp/connect", "src/mcp/auth"],
  "src/store": below,
  "src/observe": below,
  "src/people": [...below, "src/store"],
  "src/ledger": [...below, "src/store"],
  "src/turn": [...below, "src/store", "src/ledger"],
  "src/present": [...below, "src/store", "src/ledger", "src/turn"],
  "adapters/document": below,
  "adapters/console": [...below, "adapters/document"],
  "adapters/http": [...below, "adapters/document"],
  "adapters/chat": [...below, "adapters/document"],
  "adapters/slack": chats,
  "adapters/discord": chats,
  "adapters/preview": [...chats, "adapters/slack", "adapters/discord"],
  views: below,
  "servers/jira": [],
};

const rooms = Object.keys(mayImport);
/** What may only be imported by the composition root, and what nobody imports. */
const targets = [...rooms, "app", "bench", "test"];

const restricted = "eslint(no-restricted-imports)";

/** `src/store` as other rooms write it: `#src/store/x.ts`, and `#contract/x.ts` for the contract. */
function hashImport(room: string): string {
  return room === "src/contract" ? "#contract/x.ts" : `#${room}/x.ts`;
}

interface Plant {
  file: string;
  text: string;
}

function forbidden(room: string): Plant[] {
  const others = targets.filter((target) => target !== room && !mayImport[room]?.includes(target));
  const plants = others.flatMap((target, index): Plant[] => [
    {
      file: `${room}/hash-${index}.ts`,
      text: `import { x } from "${hashImport(target)}";\n\nexport const y = x;\n`,
    },
    {
      file: `${room}/relative-${index}.ts`,
      text: `import type { X } from "${relative(room, `${target}/x.ts`)}";\n\nexport const y: X = 1;\n`,
    },
  ]);
  if (room !== "servers/jira")
    return [...plants, { file: `${room}/main.ts`, text: 'export { x } from "#app/main.ts";\n' }];
  return plants;
}

function allowed(room: string): Plant {
  const imports = (mayImport[room] ?? []).map(
    (target, index) => `import { x as x${index} } from "${hashImport(target)}";`,
  );
  const npm = room === "src/contract" ? [] : ['import { z } from "zod";'];
  const uses = [...imports.map((_, index) => `x${index}`), ...npm.map(() => "z"), "own"].join(", ");
  const lines = [...imports, ...npm, 'import { own } from "./own.ts";'];
  return { file: `${room}/clean.ts`, text: `${lines.join("\n")}\n\nexport const used = [${uses}];\n` };
}

const violations = rooms.flatMap(forbidden);
const special: Plant[] = [
  {
    file: "src/turn/dynamic.ts",
    text: 'export const load = async (): Promise<unknown> => import("../mcp/tool-box.ts");\n',
  },
  { file: "src/turn/again.ts", text: 'export { pool } from "#src/mcp/tool-box.ts";\n' },
  {
    file: "src/turn/detour.ts",
    text: 'import { x } from "#src/turn/../mcp/tool-box.ts";\n\nexport const y = x;\n',
  },
  {
    file: "src/turn/deep/inner.ts",
    text: 'import { x } from "../../mcp/tool-box.ts";\n\nexport const y = x;\n',
  },
  { file: "src/mcp/pool.ts", text: 'import { x } from "../policy/policy.ts";\n\nexport const y = x;\n' },
  { file: "src/contract/npm.ts", text: 'import { z } from "zod";\n\nexport const y = z;\n' },
  { file: "src/contract/node.ts", text: 'import { join } from "node:path";\n\nexport const y = join;\n' },
  { file: "app/main.ts", text: 'import { x } from "#servers/jira/x.ts";\n\nexport const y = x;\n' },
];
const clean: Plant[] = [
  ...rooms.map(allowed),
  { file: "src/mcp/clean.ts", text: 'import { x } from "./call/call.ts";\n\nexport const z = x;\n' },
  {
    file: "app/clean.ts",
    text: 'import { x } from "#adapters/http/x.ts";\nimport { y } from "#views/y.ts";\n\nexport const z = [x, y];\n',
  },
];

const reported = new Map<string, Set<string>>();

beforeAll(async () => {
  const files = Object.fromEntries(
    [...violations, ...special, ...clean].map(({ file, text }) => [file, text]),
  );
  for (const [file, codes] of await lint(files)) reported.set(file, codes);
});

it.each(rooms)("%s may import nothing but what it is meant to", (room) => {
  const planted = violations.filter(({ file }) => file.startsWith(`${room}/`));
  expect(planted.length).toBeGreaterThan(10);
  const missed = planted.filter(({ file }) => !reported.get(file)?.has(restricted));
  expect(missed).toEqual([]);
});

it.each(special)("refuses $file", ({ file }) => {
  expect(reported.get(file)).toContain(restricted);
});

it("says nothing about imports along the arrows", () => {
  const accused = clean.filter(({ file }) => reported.get(file)?.has(restricted));
  expect(accused).toEqual([]);
});

it("every room of the house has its rule", async () => {
  const folders = await Promise.all(
    ["src", "src/mcp", "adapters"].map(async (floor) =>
      (await readdir(join(root, floor), { withFileTypes: true }).catch(() => []))
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${floor}/${entry.name}`),
    ),
  );
  expect([...rooms, "src/mcp"]).toEqual(expect.arrayContaining(folders.flat()));
});
