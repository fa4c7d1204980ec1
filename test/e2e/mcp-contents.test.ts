import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { root } from "#test/fakes/mcp-box.ts";
import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";

import {
  cleanUp,
  cleanUpAll,
  request,
  type HostedProduct,
  say,
  sayLive,
  startHosted,
  temporaryFolder,
  type WireResult,
} from "./support.ts";

const program = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
const memory = "node_modules/@modelcontextprotocol/server-memory/dist/index.js";

let product: HostedProduct;
let ollama: FakeOllama;
let folder: string;
let noteFile: string;

beforeAll(async () => {
  ollama = await startFakeOllama(() => ({ do: "answer", text: "Forty-two." }));
  cleanUp(() => ollama.stop());
  folder = join(await temporaryFolder(), "my project");
  noteFile = join(folder, "graph.json");
  await mkdir(folder);
  await writeFile(join(folder, "note.txt"), "remember the milk");
  product = await startHosted({
    config: {
      model: { anchored: "model", provider: "ollama", ollama: { base_url: "${OLLAMA_HOST}" } },
      servers: [
        {
          name: "everything",
          command: ["node", program],
          use_persistent_session: true,
          roots: [folder],
          sampling: "ask",
          expose: ["prompts", "resources"],
        },
        {
          name: "memory",
          command: ["node", memory],
          env: { MEMORY_FILE_PATH: noteFile },
          use_persistent_session: true,
        },
        {
          name: "fault",
          command: ["node", "test/fakes/mcp-fault.ts"],
          cwd: root,
          use_persistent_session: true,
        },
      ],
      policy: {
        rules: [
          { tools: ["everything.sampling"], decision: "ask" },
          { tools: ["*"], decision: "allow", idempotent: true },
        ],
      },
      commands: {
        everything: {
          server: "everything",
          subcommands: {
            image: "get-tiny-image",
            roots: "get-roots-list",
            sample: "trigger-sampling-request",
            greet: "prompt_args-prompt",
            resources: "list_resources",
            read: "read_resource",
            links: "get-resource-links",
            zip: "gzip-file-as-resource",
          },
        },
        memory: { server: "memory", subcommands: { graph: "read_graph" } },
        fault: { server: "fault", subcommands: { big: "big", bad: "bad_output" } },
      },
    },
    env: { OLLAMA_HOST: ollama.url },
  });
});

afterAll(cleanUpAll);

interface WireFile {
  file_id: string;
  name: string;
  media_type: string;
  bytes: number;
  url: string;
}

async function tell(message: string): Promise<WireResult> {
  const { status, body } = await say(product, message, { session_id: message.slice(0, 60), actor: "ana" });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

function filesOf({ tool_result: result }: WireResult): WireFile[] {
  return (result as unknown as { files?: WireFile[] }).files ?? [];
}

describe("what a result holds beside text", () => {
  it("brings an image as a file that can be looked at", async () => {
    const [file] = filesOf(await tell("/everything image"));
    expect(file).toMatchObject({ name: "get-tiny-image-2.png", media_type: "image/png", bytes: 4033 });
    const response = await fetch(`${product.url}${file?.url}`);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes).toHaveLength(4033);
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect((await fetch(`${product.url}/files/file_none`)).status).toBe(404);
  });

  it("names links to resources without following them", async () => {
    const { tool_result: result } = await tell("/everything links count=2");
    expect(JSON.stringify(result?.data)).toContain("resource_link");
  });

  it("keeps a result that is too large to show as a file", async () => {
    const body = await tell("/fault big");
    expect(body.tool_result?.error).toMatchObject({ code: "too_large" });
    const [file] = filesOf(body);
    expect(file).toMatchObject({ name: "big.json", media_type: "application/json" });
    const response = await fetch(`${product.url}${file?.url}`);
    expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
    const whole = (await response.json()) as { content: { text: string }[] };
    expect(whole.content[0]?.text).toHaveLength(6 * 1024 * 1024);
  });

  it("shows content that does not fit the tool's schema, and says that it does not", async () => {
    const { tool_result: result } = await tell("/fault bad");
    expect(result?.error).toMatchObject({ code: "invalid_result" });
    expect(result?.data).toEqual({ n: "many" });
  });
});

describe("prompts and resources", () => {
  it("are tools where the configuration wants them, and a prompt is a command", async () => {
    const { tool_result: result } = await tell("/everything greet city=Oslo");
    expect(JSON.stringify(result?.data)).toContain("Oslo");
  });

  it("are listed and read", async () => {
    const { tool_result: listed } = await tell("/everything resources");
    const { resources, templates } = (listed?.data ?? {}) as unknown as {
      resources: { uri: string; name: string }[];
      templates: { uri_template: string }[];
    };
    expect(resources.length).toBeGreaterThan(2);
    expect(templates.length).toBeGreaterThan(0);
    const { tool_result: read } = await tell(`/everything read uri=${resources[0]?.uri}`);
    expect(read?.ok).toBe(true);
    expect(JSON.stringify(read?.data).length).toBeGreaterThan(10);
  });
});

it("tells a server of its roots, where they are configured", async () => {
  const { tool_result: result } = await tell("/everything roots");
  expect(JSON.stringify(result?.data)).toContain("my%20project");
});

it("works with the public memory server", async () => {
  const { tool_result: result } = await tell("/memory graph");
  expect(result?.data).toMatchObject({ entities: [], relations: [] });
});

describe("a server that wants the model to answer", () => {
  async function sample(
    prompt: string,
    action: "accept" | "decline",
    extra: object = {},
  ): Promise<WireResult> {
    const session = { session_id: `sample ${prompt} ${action}`, actor: "ana", ...extra };
    const turn = await sayLive(product, `/everything sample prompt=${prompt}`, session);
    const { data } = await turn.until(({ event }) => event === "question" || event === "result");
    if (typeof data.question_id === "string") {
      expect(data.message).toContain(prompt);
      await request(product, "POST", `/questions/${data.question_id}/answer`, { action, actor: "ana" });
    }
    return (await turn.end())?.data as unknown as WireResult;
  }

  it("gets an answer when the person who started the turn allows it", async () => {
    const before = ollama.requests.length;
    const { tool_result: result } = await sample("meaning", "accept");
    expect(JSON.stringify(result?.data)).toContain("Forty-two.");
    const [asked] = ollama.requests.slice(before);
    // As data between markers, like everything that a server says.
    expect(JSON.stringify(asked?.body)).toMatch(/<data user [0-9a-f]+>[^<]*meaning/);
  });

  it("gets none when the person says no, or in privacy mode", async () => {
    const before = ollama.wire().length;
    const { tool_result: refused } = await sample("refused", "decline");
    expect(refused).toMatchObject({ ok: false });
    expect(JSON.stringify(refused?.error)).toContain("did not allow it");
    const { tool_result: hidden } = await sample("hidden", "accept", { allow_summarization: false });
    expect(JSON.stringify(hidden?.error)).toContain("privacy mode");
    expect(ollama.wire().slice(before)).not.toContain("context: hidden");
  });
});
