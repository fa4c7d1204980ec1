import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { commands } from "#app/commands.ts";

import { root } from "./lint.ts";
import { filesOfTree } from "./tree.ts";

interface Package {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
}

const read = (file: string): Promise<string> => readFile(join(root, file), "utf8");

const pages = await filesOfTree(/^[A-Z]+\.md$|^docs\/.+\.md$/);
const [recovery, reasons] = await Promise.all([read("docs/recovery.md"), read("docs/dependencies.md")]);
const guides = pages.filter(({ file }) => file === "README.md" || file.startsWith("docs/"));
const { scripts, dependencies, devDependencies } = JSON.parse(await read("package.json")) as Package;

/** The first cells of the rows of the tables under a heading, without backticks. */
function firstCells(text: string, heading: string): string[] {
  const start = text.indexOf(`${heading}\n`);
  expect(start, `expected the heading ${heading}`).not.toBe(-1);
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const rest = text.slice(start + heading.length);
  const end = rest.search(new RegExp(`^#{1,${level}} `, "m"));
  const rows = rest.slice(0, end === -1 ? undefined : end).matchAll(/^\| *`([^`]+)` *\|/gm);
  return [...rows].map(([, cell = ""]) => cell);
}

/** The anchors of a page as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Every key that the configuration knows, once. */
function keysOf(schema: Schema): string[] {
  const inner = [schema.items, schema.additionalProperties].filter((one) => typeof one === "object");
  const own = Object.entries(schema.properties ?? {});
  return [
    ...new Set([
      ...own.map(([key]) => key),
      ...[...own.map(([, one]) => one), ...inner].flatMap((one) => keysOf(one)),
    ]),
  ];
}

describe("docs", () => {
  it("gives a reason for every dependency, and for no other", () => {
    const named = firstCells(reasons, "# Dependencies").toSorted();
    expect(named).toEqual(Object.keys({ ...dependencies, ...devDependencies }).toSorted());
  });

  it("has a row in the crash table for every fail point, and for no other", async () => {
    const source = await read("src/base/fail-point.ts");
    const union = /export type FailPointName =([^;]+);/.exec(source)?.[1] ?? "";
    const names = [...union.matchAll(/"([a-z.]+)"/g)].map(([, name = ""]) => name);
    expect(names).toContain("intent.after");
    expect(firstCells(recovery, "### What a crash leaves").toSorted()).toEqual(names.toSorted());
  });
});

describe("README.md and docs", () => {
  it("name every command", () => {
    const text = guides.map((page) => page.text).join("\n");
    const missing = commands.filter(({ name }) => !text.includes(`\`${name}`)).map(({ name }) => name);
    expect(missing).toEqual([]);
  });

  it("name every key of the configuration in docs/configuration.md", async () => {
    const text = await read("docs/configuration.md");
    const schema = JSON.parse(await read("config/schema.json")) as Schema;
    const keys = keysOf(schema).filter((key) => key !== "$schema");
    expect(keys).toEqual(expect.arrayContaining(["model", "trust_annotations", "max_uses"]));
    expect(keys.filter((key) => !new RegExp(`\`(?:[\\w.]+\\.)?${key}\``).test(text))).toEqual([]);
  });

  it("give each top-level key of the configuration a heading", async () => {
    const text = await read("docs/configuration.md");
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title).join("\n");
    const { properties = {} } = JSON.parse(await read("config/schema.json")) as Schema;
    const keys = Object.keys(properties).filter((key) => key !== "$schema");
    expect(keys.filter((key) => !headings.includes(`\`${key}\``))).toEqual([]);
  });

  it("say how to test", async () => {
    expect(await read("README.md")).toContain("npm ci && npm test");
  });
});

describe("every page", () => {
  it("has links that lead somewhere", async () => {
    const broken: string[] = [];
    for (const { file, text } of pages) {
      for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = "", anchor] = target.split("#");
        const to = path === "" ? file : join(dirname(file), path);
        const isThere = existsSync(join(root, to));
        const hasAnchor = anchor === undefined || (isThere && anchorsOf(await read(to)).includes(anchor));
        if (!isThere || !hasAnchor) broken.push(`${file}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("names only npm scripts that exist", () => {
    const own = new Set(["start", "test", ...Object.keys(scripts)]);
    const unknown = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !own.has(name))
        .map((name) => `${file}: npm run ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it("names only files of the project that exist", () => {
    // The operator's own, which is written where the project is used.
    const own = new Set(["config/local.yaml"]);
    const named = /`((?:src|adapters|views|servers|scripts|test|config|prompts)\/[\w./-]+\.[a-z]+)`/g;
    const missing = pages.flatMap(({ file, text }) =>
      [...text.matchAll(named)]
        .map(([, path = ""]) => path)
        .filter((path) => !own.has(path) && !existsSync(join(root, path)))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
