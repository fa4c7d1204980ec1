import type {
  CallToolResult,
  Client,
  Tool as McpTool,
  Prompt,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
} from "@modelcontextprotocol/client";

import type { JsonObject, JsonValue } from "#contract/json.ts";

import { CountersignError } from "../../base/errors.ts";
import type { McpServerConfig } from "../config.ts";

export interface ExposedTool {
  source: "prompt" | "resource";
  tool: McpTool;
}

interface RequestLimits {
  signal: AbortSignal;
  timeout: number;
}

const promptPrefix = "prompt_";

const readOnly = { readOnlyHint: true, idempotentHint: true, destructiveHint: false };

/**
 * A server's prompts and resources as tools, so that policy, commands, planning and cards hold for them
 * as for any other: each prompt is a tool of its own, and resources are listed and read by two.
 */
export async function listExposed(
  client: Client,
  capabilities: ServerCapabilities | undefined,
  exposed: NonNullable<McpServerConfig["expose"]>,
  limits: RequestLimits,
): Promise<ExposedTool[]> {
  const tools: ExposedTool[] = [];
  if (exposed.includes("prompts") && capabilities?.prompts !== undefined) {
    const prompts = await listAll<Prompt>(client, "prompts/list", "prompts", limits);
    tools.push(...prompts.map((prompt) => ({ source: "prompt" as const, tool: promptTool(prompt) })));
  }
  if (exposed.includes("resources") && capabilities?.resources !== undefined) {
    tools.push({ source: "resource", tool: listTool }, { source: "resource", tool: readTool });
  }
  return tools;
}

export async function callExposed(
  client: Client,
  name: string,
  args: JsonObject,
  limits: RequestLimits,
): Promise<CallToolResult> {
  if (name === listTool.name) return { content: [], structuredContent: await listResources(client, limits) };
  if (name === readTool.name) {
    const uri = textOf(args.uri);
    const { contents } = await client.readResource({ uri }, { ...limits, cacheMode: "bypass" });
    return {
      content: contents.map((resource) =>
        "text" in resource ? { type: "text", text: resource.text } : { type: "resource", resource },
      ),
    };
  }
  const given = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, textOf(value)]));
  const prompt = { name: name.slice(promptPrefix.length), arguments: given };
  const { messages } = await client.getPrompt(prompt, limits);
  return { content: messages.map(({ content }) => content) };
}

function promptTool({ name, title, description, arguments: args = [] }: Prompt): McpTool {
  const properties = Object.fromEntries(
    args.map(({ name: key, description: text }) => [
      key,
      { type: "string" as const, ...(text !== undefined && { description: text }) },
    ]),
  );
  const required = args.filter((one) => one.required === true).map((one) => one.name);
  return {
    name: `${promptPrefix}${name}`,
    ...(title !== undefined && { title }),
    description: description ?? `The prompt ${name} of this server.`,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: readOnly,
  };
}

const listTool: McpTool = {
  name: "list_resources",
  title: "List resources",
  description: "The resources that this server offers: their addresses, names and types.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  annotations: readOnly,
};

const readTool: McpTool = {
  name: "read_resource",
  title: "Read a resource",
  description: "Reads one resource of this server by its address, so that its content is known in this turn.",
  inputSchema: {
    type: "object",
    properties: { uri: { type: "string", description: "The address, as list_resources gives it." } },
    required: ["uri"],
    additionalProperties: false,
  },
  annotations: readOnly,
};

async function listResources(client: Client, limits: RequestLimits): Promise<JsonObject> {
  const resources = await listAll<Resource>(client, "resources/list", "resources", limits);
  const listing = listAll<ResourceTemplateType>(
    client,
    "resources/templates/list",
    "resourceTemplates",
    limits,
  );
  // Many servers offer resources and know of no templates.
  const templates = await listing.catch((error: unknown) => {
    if (limits.signal.aborted) throw error;
    return [];
  });
  return {
    resources: resources.map(({ uri, name, title, description, mimeType }) => ({
      uri,
      name: title ?? name,
      description: description ?? "",
      mime_type: mimeType ?? "",
    })),
    templates: templates.map(({ uriTemplate, name, title, description }) => ({
      uri_template: uriTemplate,
      name: title ?? name,
      description: description ?? "",
    })),
  };
}

/** Arguments of prompts, and addresses, are text. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A list of a server with more than this is none: it is held in memory, and read again and again. */
const most = { pages: 1_000, items: 20_000, megabytes: 32 };

/** The SDK's own bound, which comes after this one. */
export const mostPages: number = most.pages + 1;

/** Counts what the pages of one list bring; throws with code `list_too_long`. */
type PageCount = (items: readonly unknown[]) => void;

function countPages(method: string): PageCount {
  let pages = 0;
  let count = 0;
  let bytes = 0;
  return (items) => {
    pages += 1;
    count += items.length;
    bytes += sizeOf(items);
    const megabytes = bytes / 1024 / 1024;
    const what =
      (pages > most.pages && `${most.pages} pages`) ||
      (count > most.items && `${most.items} entries`) ||
      (megabytes > most.megabytes && `${most.megabytes} MB`);
    if (what === false) return;
    const message = `expected an end of ${method}, got more than ${what}; have the server offer less`;
    throw new CountersignError("list_too_long", message);
  };
}

/** All items of a list of the protocol, which has them under `key`. */
export function listAll<Item>(
  client: Client,
  method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list",
  key: string,
  limits: RequestLimits,
): Promise<Item[]> {
  return pagesOf(method, async (cursor) => {
    const params = cursor === undefined ? {} : { cursor };
    const page: { nextCursor?: string | undefined } = await client.request({ method, params }, limits);
    return { items: (page as Record<string, unknown>)[key] as Item[], nextCursor: page.nextCursor };
  });
}

/** All items of a list that comes in pages. A cursor that repeats ends it. */
export async function pagesOf<Item>(
  method: string,
  read: (cursor: string | undefined) => Promise<{ items: Item[]; nextCursor: string | undefined }>,
): Promise<Item[]> {
  const take = countPages(method);
  const all: Item[][] = [];
  let cursor: string | undefined;
  for (;;) {
    const { items, nextCursor } = await read(cursor);
    take(items);
    all.push(items);
    if (nextCursor === undefined || nextCursor === cursor) return all.flat();
    cursor = nextCursor;
  }
}

/**
 * Has the client count the pages of lists that it gathers itself, of which it bounds no more than the number. Such
 * a list is asked for with the returned options, and each of its pages with the same.
 */
export function countingLists(
  client: Client,
): <Options extends object>(method: string, options: Options) => Options {
  const counts = new WeakMap<object, PageCount>();
  const request = client.request.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const counted = (...given: unknown[]): Promise<unknown> => {
    const options = given.at(-1);
    const take = typeof options === "object" && options !== null ? counts.get(options) : undefined;
    const answered = request(...given);
    if (take === undefined) return answered;
    return answered.then((page) => {
      take((page as { tools?: unknown[] }).tools ?? []);
      return page;
    });
  };
  client.request = counted;
  return (method, options) => {
    const own = { ...options };
    counts.set(own, countPages(method));
    return own;
  };
}

/** About how many bytes a value takes, however deep it is. */
function sizeOf(value: unknown): number {
  const open = [value];
  let size = 0;
  while (open.length > 0) {
    const part = open.pop();
    size += typeof part === "string" ? part.length : 8;
    if (typeof part !== "object" || part === null) continue;
    for (const [key, item] of Object.entries(part)) {
      size += key.length;
      open.push(item);
    }
  }
  return size;
}
