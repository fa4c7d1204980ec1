import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";

import { cleanUpAll, type LogLine, readStore, type HostedProduct, say, startHosted } from "./support.ts";

const EMBEDDER = "nomic-embed-text:latest";
/** German, of which no word stands in any tool. */
const REQUEST = "Verschiebe den Vorgang";
const WANTED = "- jira.transition_issue(";
let ollama: FakeOllama;
let product: HostedProduct;

beforeAll(async () => {
  ollama = await startFakeOllama(
    () => ({ do: "answer", text: "", json: { commands: [{ command: "ERROR", message: "Not today." }] } }),
    {
      models: ["qwen3:4b-instruct", EMBEDDER],
      meanings: [
        ["verschiebe", "transition", "transitions"],
        ["vorgang", "issue"],
      ],
    },
  );
  product = await start();
});

afterAll(async () => {
  await cleanUpAll();
  await ollama.stop();
});

function start(more: { dataDir?: string; model?: object } = {}): Promise<HostedProduct> {
  const { dataDir, model = {} } = more;
  return startHosted({
    config: {
      model: {
        anchored: "model",
        provider: "ollama",
        ollama: { base_url: ollama.url, embeddings: true, embed_model: EMBEDDER },
        ...model,
      },
      servers: ["jira", "confluence"].map((name) => ({
        name,
        command: ["node", `servers/${name}/main.ts`],
        trust_annotations: true,
      })),
      limits: { tool_tokens: 200 },
    },
    ...(dataDir === undefined ? {} : { dataDir }),
  });
}

/** The log line that says that the vectors of all tools are there. */
function isEmbedded(line: LogLine): boolean {
  return line.msg === "tools can be found by meaning";
}

async function promptFor(
  of: HostedProduct,
  message: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const before = ollama.requests.length;
  await say(of, message, more);
  return ollama.requests[before]?.body.messages?.at(-1)?.content ?? "";
}

describe("among more tools than fit into a prompt", () => {
  it("[plan.tools-injected] a request finds its tool by meaning, whose words it shares none of", async () => {
    const { embedded } = await product.line(isEmbedded);
    expect(embedded).toBeGreaterThan(10);
    expect(await promptFor(product, REQUEST, { session_id: "a" })).toContain(WANTED);
    expect(ollama.embeds).toContain(`search_query: ${REQUEST}`);
    expect(
      ollama.embeds.filter((text) => text.startsWith("search_document: jira transition issue.")),
    ).toHaveLength(1);
  });

  it("[plan.tools-injected] [privacy.mode] a private turn's request is embedded, and nothing else", async () => {
    const before = ollama.embeds.length;
    const prompt = await promptFor(product, REQUEST, { session_id: "b", allow_summarization: false });
    expect(prompt).toContain(WANTED);
    expect(ollama.embeds.slice(before).filter((text) => text !== `search_query: ${REQUEST}`)).toEqual([]);
  });

  it("[plan.tools-injected] by words alone it is not found, and nothing is embedded", async () => {
    const before = ollama.embeds.length;
    const plain = await start({ model: { tools_by_meaning: false } });
    expect(await promptFor(plain, REQUEST)).not.toContain(WANTED);
    expect(await promptFor(plain, "transition the issue")).toContain(WANTED);
    expect(ollama.embeds).toHaveLength(before);
    await plain.stop();
  });

  it("[plan.tools-injected] a restart embeds no tool again", async () => {
    const { embedded, tools } = await product.line(isEmbedded);
    await product.stop();
    expect(readStore(product.dataDir, "select key from tool_vectors where model = ?", EMBEDDER)).toHaveLength(
      Number(embedded),
    );
    const before = ollama.embeds.length;
    product = await start({ dataDir: product.dataDir });
    expect(await product.line(isEmbedded)).toMatchObject({ embedded: 0, tools });
    expect(await promptFor(product, REQUEST, { session_id: "c" })).toContain(WANTED);
    expect(ollama.embeds.slice(before)).toEqual([`search_query: ${REQUEST}`]);
  });
});
