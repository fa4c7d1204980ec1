import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { z } from "zod";

import { ToolFailure } from "../../kit/tool.ts";
import { parseEnsemble } from "../engine/parse.ts";
import { checkPath, filesBelow, inside, writeWhole } from "../store/paths.ts";
import { ensembleIn, meant } from "../store/project.ts";
import { factsOf, scriptsOf } from "../store/scripts.ts";
import type { Workshop } from "../workshop.ts";
import { type AddTool, nameSchema } from "./register.ts";

interface Item {
  type: "ensemble" | "script";
  name: string;
  /** Below the library's folder, such as ensembles/code/code-review.yaml. */
  path: string;
  category: string;
  description: string;
}

const typeSchema = z
  .enum(["ensembles", "scripts", "all"])
  .default("all")
  .describe("ensembles, scripts or all");

/** Tools for the library that ships. */
export function addLibrary(add: AddTool, { project }: Workshop): void {
  const { library } = project;

  function items(): Item[] {
    const root = join(library, "ensembles");
    const ensembles = filesBelow(root, [".yaml", ".yml"]).map((path): Item => {
      const { value } = parseEnsemble(readFileSync(join(root, path), "utf8"), path);
      return {
        type: "ensemble",
        name: value?.name ?? path,
        path: `ensembles/${path}`,
        category: dirname(path),
        description: value?.description ?? "",
      };
    });
    const scripts = scriptsOf({ folders: [{ source: "library", path: library }] }).map((one): Item => {
      const { name, category, description } = factsOf(one);
      return { type: "script", name, path: `scripts/${one.path}`, category, description };
    });
    return [...ensembles, ...scripts];
  }

  function grouped(
    found: readonly Item[],
    type: z.infer<typeof typeSchema>,
  ): { ensembles: Item[]; scripts: Item[] } {
    const of = (kind: Item["type"]): Item[] =>
      type === "all" || type === `${kind}s` ? found.filter((one) => one.type === kind) : [];
    return { ensembles: of("ensemble"), scripts: of("script") };
  }

  function find(source: string): Item {
    const all = items();
    const wanted = source.replace(/^library\//, "");
    const found = all.find(
      ({ path, name }) =>
        path === wanted ||
        name === wanted ||
        path.replace(/^\w+\/|\.\w+$/g, "") === wanted ||
        path.replace(/^\w+\//, "") === wanted,
    );
    if (found !== undefined) return found;
    throw new ToolFailure(
      "unknown_item",
      `the library has no "${source.slice(0, 200)}"${meant(
        wanted,
        all.map((one) => one.name),
      )}: library_browse shows what it has`,
    );
  }

  /** One ensemble is not replaced by another, nor hidden by a second file of its name. */
  function requireSame(name: string, path: string, target: string): void {
    const there = ensembleIn(path);
    if (there !== undefined && there !== name) {
      throw new ToolFailure(
        "exists",
        `${target} is another ensemble, "${there}": give another destination, or delete it first`,
      );
    }
    const twin = project.ensembles().find((one) => one.name === name && one.source === "local");
    if (twin === undefined || twin.path === path) return;
    throw new ToolFailure(
      "exists",
      `the project has "${name}" already, in ensembles/${twin.relativePath}: name that as the destination, and say that it may be overwritten`,
    );
  }

  add(
    "library_browse",
    {
      title: "Browse the library",
      description: "Show the ensembles and scripts of the library that ships, by category.",
      input: {
        type: typeSchema,
        category: z.string().max(200).optional().describe("Only this category, such as code"),
      },
      effect: "read",
    },
    ({ type, category }) => {
      const found = grouped(
        items().filter((one) => category === undefined || one.category === category),
        type,
      );
      return {
        ...found,
        categories: categoriesOf(items()),
        count: found.ensembles.length + found.scripts.length,
      };
    },
  );

  add(
    "library_search",
    {
      title: "Search the library",
      description: "Search the library's ensembles and scripts by words of their names and descriptions.",
      input: { query: z.string().trim().min(1).max(400).describe("Words, such as review"), type: typeSchema },
      effect: "read",
    },
    ({ query, type }) => {
      const words = query.toLowerCase().split(/\s+/);
      const matches = ({ name, category, description }: Item): boolean => {
        const text = `${name} ${category} ${description}`.toLowerCase();
        return words.every((word) => text.includes(word));
      };
      const results = grouped(items().filter(matches), type);
      return { query, results, total: results.ensembles.length + results.scripts.length };
    },
  );

  add(
    "library_info",
    {
      title: "About the library",
      description: "Say what the library has, or show one ensemble or script of it in full.",
      input: {
        path: z
          .string()
          .max(400)
          .optional()
          .describe("An ensemble or script of it, such as ensembles/code/code-review.yaml"),
      },
      effect: "read",
    },
    ({ path }) => {
      if (path !== undefined && path.trim() !== "") {
        const item = find(path);
        return { ...item, exists: true, content: readFileSync(inside(library, item.path), "utf8") };
      }
      const { ensembles, scripts } = grouped(items(), "all");
      return {
        path: library,
        exists: existsSync(library),
        ensembles_count: ensembles.length,
        scripts_count: scripts.length,
        categories: categoriesOf(items()),
      };
    },
  );

  add(
    "library_copy",
    {
      title: "Copy from the library",
      description: "Copy an ensemble or a script of the library into the project, where it can be changed.",
      input: {
        source: nameSchema.describe("An ensemble or script of the library, such as code-review"),
        destination: z
          .string()
          .max(400)
          .optional()
          .describe("Where below .llm-orc it goes (default the same path)"),
        overwrite: z.boolean().default(false).describe("Replace what is there"),
      },
      effect: "write",
    },
    ({ source, destination, overwrite }) => {
      const item = find(source);
      const wanted = (destination?.trim() || item.path).replace(/^\.llm-orc\//, "");
      const target = checkPath(
        "a destination",
        wanted.endsWith("/") ? wanted + (item.path.split("/").at(-1) ?? "") : wanted,
      );
      const folder = `${item.type}s`;
      if (!target.startsWith(`${folder}/`))
        throw new ToolFailure("bad_destination", `expected a destination below ${folder}/, got "${target}"`);
      const path = inside(project.local, target);
      if (existsSync(path) && !overwrite)
        throw new ToolFailure(
          "exists",
          `${target} is there already: say that it may be overwritten to replace it`,
        );
      if (item.type === "ensemble") requireSame(item.name, path, target);
      writeWhole(path, readFileSync(inside(library, item.path), "utf8"));
      return { copied: true, source: item.path, destination: target, path };
    },
  );
}

function categoriesOf(all: readonly Item[]): string[] {
  return [...new Set(all.map((one) => one.category))].toSorted();
}
