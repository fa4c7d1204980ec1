import { existsSync, rmSync } from "node:fs";
import { extname } from "node:path";

import { z } from "zod";

import { ToolFailure } from "../../kit/tool.ts";
import { isObject } from "../engine/references.ts";
import { checkName, checkPath, inside, writeWhole } from "../store/paths.ts";
import { factsOf, findScript, RUNTIMES, scriptsOf, sourceOf } from "../store/scripts.ts";
import type { Workshop } from "../workshop.ts";
import { type AddTool, confirmSchema, nameSchema, requireConfirmed } from "./register.ts";

const pathSchema = nameSchema.describe("Path of the script below scripts/, such as data/csv_profile.js");

/** Tools for scripts. */
export function addScripts(add: AddTool, { project, engine }: Workshop): void {
  add(
    "list_scripts",
    {
      title: "List scripts",
      description: "List the scripts that agents can run, by category.",
      input: { category: z.string().max(200).optional().describe("Only those of this category") },
      effect: "read",
    },
    ({ category }) => {
      const all = scriptsOf(project).map(factsOf);
      const scripts = all.filter((one) => category === undefined || one.category === category);
      return {
        scripts,
        categories: [...new Set(all.map((one) => one.category))].toSorted(),
        count: scripts.length,
      };
    },
  );

  add(
    "get_script",
    {
      title: "Read a script",
      description: "Read a script: its source, and what it is for.",
      input: { script_path: pathSchema },
      effect: "read",
    },
    ({ script_path: path }) => {
      const found = findScript(project, path);
      return { ...factsOf(found), source: sourceOf(found) };
    },
  );

  add(
    "test_script",
    {
      title: "Try a script",
      description: "Run a script once on an input of yours, in its sandbox, and answer what it said.",
      input: {
        script_path: pathSchema,
        test_input: z
          .record(z.string(), z.unknown())
          .describe(
            'What the script gets: {"input_data": …, "parameters": {…}, "dependencies": {…}}, or the input itself',
          ),
      },
      effect: "run",
    },
    async ({ script_path: path, test_input: given }, context) => {
      const { version: _, ...launch } = engine.script(path);
      const isWhole = "input_data" in given || "input" in given;
      const record = (key: string): Record<string, unknown> =>
        isWhole && isObject(given[key]) ? given[key] : {};
      const { success, data, error, output, sandboxed } = await engine.runScript({
        ...launch,
        input: {
          agent_name: typeof given.agent_name === "string" ? given.agent_name : "test",
          input_data: isWhole ? (given.input_data ?? given.input) : given,
          context: record("context"),
          dependencies: record("dependencies"),
        },
        parameters: record("parameters"),
        timeoutMs: 60_000,
        signal: context.mcpReq.signal,
      });
      return { script: path, success, data, error: error ?? null, output, sandboxed };
    },
  );

  add(
    "create_script",
    {
      title: "Create a script",
      description:
        "Make a new script in the project, of a source or of a template. Agents then run it: read it first.",
      input: {
        category: nameSchema.describe("Folder below scripts/, such as data"),
        name: nameSchema.describe(
          "Name of the script, such as csv_profile.js; without a suffix its source tells",
        ),
        source: z.string().max(250_000).optional().describe("The whole source"),
        template: z
          .enum(["basic", "extraction"])
          .optional()
          .describe("basic or extraction, instead of a source"),
      },
      effect: "write",
    },
    ({ category, name, source, template }) => {
      checkPath("a category", category);
      checkName("a script", name);
      if ((source === undefined) === (template === undefined)) {
        throw new ToolFailure("bad_source", "expected source or template, and not both");
      }
      const text = source ?? TEMPLATES[template ?? "basic"];
      const file = RUNTIMES[extname(name)] === undefined ? `${name}${suffixOf(text)}` : name;
      const path = inside(project.local, "scripts", ...category.split("/"), file);
      if (existsSync(path))
        throw new ToolFailure("exists", `there is a script ${category}/${file} already: delete it first`);
      writeWhole(path, text);
      return { created: true, name: file, script_path: `${category}/${file}`, path };
    },
  );

  add(
    "delete_script",
    {
      title: "Delete a script",
      description: "Delete a script of the project.",
      input: { script_path: pathSchema, confirm: confirmSchema },
      effect: "delete",
    },
    ({ script_path: path, confirm }) => {
      const found = findScript(project, path);
      if (found.source !== "local")
        throw new ToolFailure(
          "not_local",
          `${found.path} is of the ${found.source} folder, which is only read`,
        );
      requireConfirmed(confirm, `the script ${found.path}`);
      rmSync(found.file);
      return { deleted: true, name: found.path };
    },
  );
}

function suffixOf(source: string): string {
  if (/^#!.*python|^\s*(?:def |import \w+\s*$|from \w+ import )/m.test(source)) return ".py";
  return /^#!.*\b(?:sh|bash)\b/.test(source) ? ".sh" : ".js";
}

const READ = `import { readFileSync } from "node:fs";

const { input_data: input, dependencies } = JSON.parse(readFileSync(0, "utf8"));
const parameters = JSON.parse(process.env.AGENT_PARAMETERS ?? "{}");
`;

const TEMPLATES = {
  basic: `// Says how long its input is: put your own work here.
${READ}
try {
  const data = { characters: String(input).length, agents_before: Object.keys(dependencies), parameters };
  console.log(JSON.stringify({ success: true, data, error: null }));
} catch (error) {
  console.log(JSON.stringify({ success: false, data: null, error: error.message }));
}
`,
  extraction: `// Takes what a pattern finds out of its input; parameters: pattern, flags.
${READ}
try {
  const pattern = new RegExp(parameters.pattern ?? "https?://\\\\S+", \`g\${(parameters.flags ?? "").replace("g", "")}\`);
  const found = [...String(input).matchAll(pattern)].map(([text]) => text);
  console.log(JSON.stringify({ success: true, data: { found, count: found.length }, error: null }));
} catch (error) {
  console.log(JSON.stringify({ success: false, data: null, error: error.message }));
}
`,
};
