import { spawn } from "node:child_process";
import { once } from "node:events";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type FakeOllama, type OllamaRequest, startFakeOllama } from "#test/fakes/ollama.ts";

import {
  cleanUpAll,
  projectRoot,
  readStore,
  type HostedProduct,
  say,
  startHosted,
  temporaryFolder,
} from "./support.ts";

const EMBEDDER = "nomic-embed-text:latest";
let ollama: FakeOllama;
let product: HostedProduct;

beforeAll(async () => {
  ollama = await startFakeOllama(
    (request) => {
      if (request.body.format === undefined)
        return { do: "answer", text: "Here you are [source 1]. Cheers!" };
      const prompt = promptOf(request);
      const tool = prompt.includes("embed this") ? "builtin.embed_text" : "reports.read_report";
      const args = prompt.includes("embed this") ? { text: "the login page" } : {};
      const [, said = ""] = /^<data request [^>]*>\n([\s\S]*?)<\/data/m.exec(prompt) ?? [];
      const call = said.includes("just talk")
        ? { command: "ERROR", message: "Let us talk." }
        : said.includes("from memory")
          ? { command: "QUERY", tool: "final_answer", args: {} }
          : { command: "QUERY", tool, args };
      return { do: "answer", text: "", json: { commands: [call] } };
    },
    { models: ["qwen3:4b-instruct", EMBEDDER] },
  );
  product = await startHosted({
    config: {
      model: {
        anchored: "model",
        provider: "ollama",
        ollama: { base_url: ollama.url, embeddings: true, embed_model: EMBEDDER },
      },
      servers: [
        { name: "reports", command: ["node", "test/fakes/mcp-canary.ts"], trust_annotations: true },
        {
          name: "hidden",
          command: ["node", "test/fakes/mcp-canary.ts"],
          trust_annotations: true,
          privacy: { summarize: false },
        },
      ],
    },
  });
});

afterAll(async () => {
  await cleanUpAll();
  await ollama.stop();
});

function promptOf(request: OllamaRequest | undefined): string {
  return request?.body.messages?.at(-1)?.content ?? "";
}

/** What is remembered, once the product has said so of the turn. */
async function remembered(turnId: unknown): Promise<number> {
  const line = await product.line(({ msg, turn }) => msg === "outputs remembered" && turn === turnId);
  return Number(line.passages);
}

function memories(conversation: string): { passage: string; model: string; vector: string }[] {
  return readStore(
    product.dataDir,
    "select passage, model, vector from memories where conversation_id = ?",
    `http:${conversation}`,
  );
}

/** Runs a command of the product beside it. */
async function command(args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, ["countersign.js", ...args], {
    cwd: projectRoot,
    env: { ...process.env, COUNTERSIGN_DATA: product.dataDir, ...env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = (await once(child, "close")) as [number];
  return `${code}: ${said}`;
}

describe("what tools brought", () => {
  it("[llm.embed] is embedded and recalled in later turns of its conversation alone", async () => {
    const first = await say(product, "read the report", { session_id: "m1" });
    expect(await remembered(first.body.turn_id)).toBeGreaterThan(0);
    expect(ollama.embeds.some((text) => text.includes("canary-title"))).toBe(true);
    expect(memories("m1")[0]).toMatchObject({
      model: EMBEDDER,
      passage: expect.stringContaining("canary-title"),
    });

    const before = ollama.requests.length;
    await say(product, "just talk: canary report people name title second key", { session_id: "m1" });
    const prompt = promptOf(ollama.requests[before]);
    expect(prompt).toMatch(/^<data memory 1 [0-9a-f]+>\n\| reports\.read_report brought earlier:/m);
    expect(prompt).toContain("canary-title");

    const told = await say(product, "from memory: canary report people name title second key", {
      session_id: "m1",
    });
    expect(told.body).toMatchObject({ reply: "Here you are [source 1]. Cheers!", tool_results: [] });
    expect(promptOf(ollama.requests.at(-1))).toMatch(
      /<data memory 1 [0-9a-f]+>\n\| reports\.read_report brought/,
    );

    await say(product, "just talk about knitting patterns", { session_id: "m1" });
    expect(promptOf(ollama.requests.at(-1))).not.toContain("<data memory");
    await say(product, "just talk: canary report people name title second key", { session_id: "m2" });
    expect(promptOf(ollama.requests.at(-1))).not.toContain("canary-title");
  });

  it("[llm.embed] [privacy.mode] is neither embedded nor recalled in private turns", async () => {
    const open = await say(product, "read the report", { session_id: "p1" });
    await remembered(open.body.turn_id);
    const [embeds, requests] = [ollama.embeds.length, ollama.requests.length];
    const message = "just talk: canary report people name title second key";
    await say(product, message, { session_id: "p1", allow_summarization: false });
    await say(product, "read the report", { session_id: "p3", allow_summarization: false });
    const hidden = await say(product, "just talk", { session_id: "p2" });
    expect(hidden.status).toBe(200);
    const sent = JSON.stringify([ollama.embeds.slice(embeds), ollama.requests.slice(requests)]);
    expect(sent).not.toContain("canary-title");
    expect(memories("p3")).toEqual([]);
  });

  it("[llm.embed] is forgotten on request", async () => {
    const first = await say(product, "read the report", { session_id: "f1" });
    const count = await remembered(first.body.turn_id);
    expect(await command(["memory", "forget", "--conversation", "http:f2"])).toBe("0: Forgot 0 passages.\n");
    expect(await command(["memory", "forget", "--conversation", "http:f1", "--older-than", "1h"])).toBe(
      "0: Forgot 0 passages.\n",
    );
    expect(await command(["memory", "forget", "--conversation", "http:f1", "--json"])).toBe(
      `0: {"forgotten":${count}}\n`,
    );
    expect(memories("f1")).toEqual([]);
    expect(await command(["memory", "forget"])).toMatch(/^2: .*--conversation/s);
  });

  it("[llm.embed] embed_text turns a text into a vector", async () => {
    const { body } = await say(product, "embed this", { session_id: "e1" });
    expect(body.tool_result).toMatchObject({
      tool_id: "builtin.embed_text",
      ok: true,
      data: { model: EMBEDDER, dimensions: 64, embedding: expect.any(Array) },
    });
    expect(ollama.embeds).toContain("the login page");
    // It is kept, and recalled in the conversation.
    expect(await remembered(body.turn_id)).toBe(1);
    // Empty: the database itself has what it compares.
    expect(memories("e1")).toEqual([expect.objectContaining({ passage: "the login page", vector: "" })]);
    await say(product, "just talk: the login page", { session_id: "e1" });
    expect(promptOf(ollama.requests.at(-1))).toMatch(
      /^<data memory 1 [0-9a-f]+>\n\| builtin\.embed_text brought earlier:\n\| the login page/m,
    );
  });
});

describe("the commands for models", () => {
  it("[llm.ollama] model pull fetches a model and tells how far it is; model check looks for it", async () => {
    const config = await writeConfig("fresh-model:1b");
    expect(await command(["model", "check", "--config", config])).toMatch(
      /^1: .*ollama pull fresh-model:1b/s,
    );
    const pulled = await command(["model", "pull", "--config", config]);
    expect(pulled).toMatch(/^0: [\s\S]*pulling 3f2a 25 % of 1 MB[\s\S]*success[\s\S]*fresh-model:1b is on/);
    expect(await command(["model", "check", "--config", config])).toMatch(/^0: .*is there/s);
    expect(await command(["model", "pull", "no-such", "--config", config])).toMatch(/^1: .*does not exist/s);
  });
});

it("[llm.ollama] model check tells of a server that answers nothing, and that embeddings are off", async () => {
  const frozen = await startFakeOllama(() => ({ do: "hang" }), { models: ["fresh-model:1b"] });
  try {
    const config = await writeConfig("fresh-model:1b", frozen.url);
    const found = await command(["model", "check", "--config", config]);
    expect(found).toMatch(/^0: .*is there\.\nEmbeddings: off, as Ollama keeps one model on a CPU/s);
    frozen.freeze();
    expect(await command(["model", "check", "--config", config])).toMatch(/^1: .*no answer within 5 s/s);
  } finally {
    await frozen.stop();
  }
});

async function writeConfig(model: string, url = ollama.url): Promise<string> {
  const { writeFile } = await import("node:fs/promises");
  const file = `${await temporaryFolder()}/countersign.json`;
  await writeFile(
    file,
    JSON.stringify({ model: { anchored: "model", provider: "ollama", ollama: { base_url: url, model } } }),
  );
  return file;
}
