// An MCP server over stdio that serves the tools of a JSON file, `{tools, answers}`, as other servers list them, and
// answers each call with what the file has for the tool, or with something that fits its output schema. It speaks
// the 2025-11-25 revision by hand, so that a list passes exactly as it was recorded.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown> };
}

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface List {
  tools: { name: string; outputSchema?: Schema }[];
  answers: Record<string, unknown>;
}

const [, , file] = process.argv;
if (file === undefined) throw new Error("expected the JSON file of the tools: catalogue-server.ts FILE");
const { tools, answers } = JSON.parse(readFileSync(file, "utf8")) as List;

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  if (id === undefined) return;
  const result = answer(method, params);
  const error = { code: -32601, message: "Method not found" };
  const body = { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
  process.stdout.write(`${JSON.stringify(body)}\n`);
});

function answer(method: string | undefined, params: Message["params"]): unknown {
  if (method === "initialize") {
    const serverInfo = { name: "catalogue", version: "1" };
    return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
  }
  if (method === "ping") return {};
  if (method === "tools/list") return { tools };
  if (method === "tools/call") return call(params?.name ?? "", params?.arguments ?? {});
  return undefined;
}

function call(name: string, args: Record<string, unknown>): object {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return { isError: true, content: [{ type: "text", text: `no tool "${name}"` }] };
  const schema = tool.outputSchema;
  const data =
    answers[name] ?? (schema === undefined ? { tool: name, args } : sample(schema, schema, "value", 0));
  return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data };
}

/** Something that fits a schema, as far as tools' output schemas go. Deep recursion ends with null. */
function sample(schema: Schema, root: Schema, name: string, depth: number): unknown {
  if (depth > 12) return null;
  const chosen = schema.const ?? schema.enum?.[0] ?? schema.default;
  if (chosen !== undefined) return chosen;
  if (schema.$ref !== undefined) return sample(resolve(schema.$ref, root), root, name, depth + 1);
  const branch = (schema.anyOf ?? schema.oneOf)?.[0];
  if (branch !== undefined) return sample(branch, root, name, depth + 1);
  switch ([schema.type].flat()[0] ?? (schema.properties === undefined ? "string" : "object")) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [
          key,
          sample(value, root, key, depth + 1),
        ]),
      );
    case "array":
      return schema.items === undefined ? [] : [sample(schema.items, root, name, depth + 1)];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return schema.format === "date-time"
        ? "2026-11-02T09:00:00Z"
        : schema.format === "date"
          ? "2026-11-02"
          : name;
  }
}

function resolve(ref: string, root: Schema): Schema {
  const name = ref.replace(/^.*\//, "");
  return root.$defs?.[name] ?? root.definitions?.[name] ?? {};
}
