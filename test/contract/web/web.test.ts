import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { isPublic, type Resolve } from "#servers/web/addresses.ts";
import type { FetchOptions } from "#servers/web/fetch-page.ts";
import { createWebServer, openWeb, type Web } from "#servers/web/server.ts";
import { toMarkdown } from "#servers/web/to-markdown.ts";
import { onlyPreparedRequests } from "#test/only-prepared.ts";

const never = new AbortController().signal;

interface Answer {
  text: string;
  isError: boolean;
  data: Record<string, unknown>;
}

async function clientOf(web: Web): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createWebServer(web).connect(there);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(here);
  return client;
}

async function call(web: Web, name: string, args: Record<string, unknown>): Promise<Answer> {
  const client = await clientOf(web);
  try {
    const result = await client.callTool({ name, arguments: args });
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    const data = (result.structuredContent ?? {}) as Record<string, unknown>;
    return { text, isError: result.isError === true, data };
  } finally {
    await client.close();
  }
}

describe("fetch_url", () => {
  /** The only server that tests may reach; what it answers, by path. It listens on one of two loopback addresses. */
  let server: Server;
  let port = 0;
  const pages = new Map<string, RequestListener>();
  const asked: string[] = [];
  /** What names resolve to, one answer after the other; the last one stays. */
  const names = new Map<string, string[]>();

  const resolve: Resolve = (name, told) => {
    const answers = names.get(name) ?? [];
    const [now = ""] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (now === "") return told(new Error(`getaddrinfo ENOTFOUND ${name}`), []);
    told(
      null,
      now.split(" ").map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  /** Public is what is public, and the address at which the test's server stands for the internet. */
  const isAllowed = (address: string): boolean => address === "127.0.0.1" || isPublic(address);
  const get = (url: string, options: FetchOptions = {}, args: object = {}): Promise<Answer> =>
    call({ fetch: { resolve, isAllowed, ...options } }, "fetch_url", { url, ...args });
  const at = (path: string, host = "news.example"): string => `http://${host}:${port}${path}`;

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.headers.host ?? ""}${request.url ?? ""}`);
      const page = pages.get(request.url ?? "");
      if (page === undefined) response.writeHead(404).end();
      else page(request, response);
    });
    await new Promise<void>((done) => {
      server.listen(0, "127.0.0.1", done);
    });
    ({ port } = server.address() as AddressInfo);
    names.set("news.example", ["127.0.0.1"]);
  });
  afterEach(() => void asked.splice(0));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function html(body: string, headers: Record<string, string> = {}): RequestListener {
    return (_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);
    };
  }

  const moved =
    (to: string): RequestListener =>
    (_request, response) => {
      response.writeHead(302, { location: to }).end();
    };

  it("[tools.web] says of itself that it reads the open web", async () => {
    const client = await clientOf({ fetch: {} });
    const { tools } = await client.listTools();
    await client.close();
    expect(
      tools.map(({ name, annotations, outputSchema }) => [name, annotations, outputSchema?.type]),
    ).toEqual([
      [
        "fetch_url",
        { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
        "object",
      ],
    ]);
  });

  it("[tools.web] gives the text of a page as Markdown, with absolute links and without what is around it", async () => {
    pages.set(
      "/story",
      html(`<html><head><title>A duck &amp;
        a teapot</title><style>p{}</style></head><body><nav><a href="/">Home</a></nav><main><h1>Duck</h1>
        <p>It <b>is</b> the <a href="/duck?id=1">duck</a>, <a href="javascript:alert(1)">always</a>.</p>
        <table><tr><th>Day</th><th>Ducks</th></tr><tr><td>Monday</td><td>3</td></tr></table>
        <script>steal()</script></main><footer>Imprint</footer></body></html>`),
    );
    const { data, text, isError } = await get(at("/story"));
    expect(isError).toBe(false);
    expect(data).toEqual({
      url: at("/story"),
      title: "A duck & a teapot",
      text: [
        "# Duck",
        `It **is** the [duck](${at("/duck?id=1")}), always.`,
        "| Day | Ducks |\n| --- | --- |\n| Monday | 3   |",
      ].join("\n\n"),
      next_start: null,
    });
    expect(text).toContain(at("/story"));
  });

  it("[tools.web] follows redirects, reads what is compressed, and the letters of other times", async () => {
    pages.set("/old", moved("/new"));
    pages.set("/new", (_request, response) => {
      response.writeHead(200, {
        "content-type": "text/plain; charset=ISO-8859-1",
        "content-encoding": "gzip",
      });
      response.end(gzipSync(Buffer.from("Gänse", "latin1")));
    });
    const { data } = await get(at("/old"));
    expect(data).toMatchObject({ url: at("/new"), text: "Gänse", title: `news.example:${port}` });
    pages.set("/br", (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "br" });
      response.end(brotliCompressSync('{"ducks": 3}'));
    });
    expect((await get(at("/br"))).data).toMatchObject({ text: '{"ducks": 3}' });
    pages.set("/meta", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(Buffer.from('<meta charset="windows-1252"><p>Gänse', "latin1"));
    });
    expect((await get(at("/meta"))).data).toMatchObject({ text: "Gänse" });
  });

  it("[tools.web] gives a long text in parts", async () => {
    pages.set("/long", (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).end("0123456789".repeat(2500));
    });
    const first = (await get(at("/long"))).data;
    expect(first).toMatchObject({ next_start: 20_000 });
    const rest = (await get(at("/long"), {}, { start: first["next_start"] })).data;
    expect(rest).toMatchObject({ text: "0123456789".repeat(500), next_start: null });
  });

  it.each([
    "http://127.0.0.2/",
    "http://localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.2]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[64:ff9b::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd12::1]/",
    "http://2130706434/",
    "http://0x7f.2/",
    "http://0/",
    "http://10.1.2.3/",
    "http://172.20.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "https://198.18.0.1/",
    "http://224.0.0.1/",
  ])("[tools.web] does not reach a private address: %s", async (url) => {
    const { text, isError } = await get(url, {
      resolve: (_name, told) => told(null, [{ address: "::1", family: 6 }]),
    });
    expect(text).toMatch(/^private_address: /);
    expect(isError).toBe(true);
    expect(asked).toEqual([]);
  });

  it.each(["file:///etc/passwd", "ftp://example.com/", "http://name:secret@example.com/", "not an address"])(
    "[tools.web] takes nothing but addresses of the web: %s",
    async (url) => {
      const { text } = await get(url);
      expect(text).toMatch(/^bad_url: /);
      expect(text).not.toContain("secret");
    },
  );

  it.each([
    ["an address of this machine", "http://127.0.0.2:1/"],
    ["one written as a number", "http://2130706434/"],
    ["one of IPv4 within IPv6", "http://[::ffff:7f00:2]/"],
    ["a name of one", "http://inside.example/"],
    ["a file", "file:///etc/passwd"],
  ])("[tools.web] follows no redirect to %s", async (_what, to) => {
    names.set("inside.example", ["10.0.0.8"]);
    pages.set("/trap", moved(to));
    const { text } = await get(at("/trap"));
    expect(text).toMatch(to.startsWith("file") ? /^bad_url: / : /^private_address: /);
    expect(asked).toEqual([`news.example:${port}/trap`]);
  });

  it("[tools.web] reaches no name with a private address among its addresses", async () => {
    names.set("both.example", ["127.0.0.1 10.0.0.8"]);
    names.set("mapped.example", ["::ffff:10.0.0.8"]);
    pages.set("/", html("<p>never"));
    expect((await get(at("/", "both.example"))).text).toMatch(/^private_address: both\.example /);
    expect((await get(at("/", "mapped.example"))).text).toMatch(/^private_address: /);
    expect(asked).toEqual([]);
  });

  it("[tools.web] connects to the address that was checked, whatever the name stands for a moment later", async () => {
    pages.set("/", html("<p>public"));
    names.set("rebinding.example", ["127.0.0.1", "127.0.0.2"]);
    expect((await get(at("/", "rebinding.example"))).data).toMatchObject({ text: "public" });
    // The second time the name is looked at, it is another connection, and looked at again.
    expect((await get(at("/", "rebinding.example"))).text).toMatch(/^private_address: /);
    expect(asked).toEqual([`rebinding.example:${port}/`]);
    names.set("rebinding.example", ["127.0.0.1", "127.0.0.2"]);
    pages.set("/again", moved("/"));
    expect((await get(at("/again", "rebinding.example"))).text).toMatch(/^private_address: /);
  });

  it("[tools.web] ends redirects that do not end", async () => {
    pages.set("/loop", moved("/loop"));
    expect((await get(at("/loop"))).text).toMatch(/^too_many_redirects: /);
    expect(asked).toHaveLength(6);
  });

  it("[tools.web] reads no page that is too large, compressed or not", async () => {
    pages.set("/huge", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      const more = (): boolean => response.destroyed || response.write("x".repeat(65_536), () => void more());
      more();
    });
    expect((await get(at("/huge"))).text).toMatch(/^too_large: /);
    pages.set("/bomb", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(50_000_000, "a")));
    });
    expect((await get(at("/bomb"))).text).toMatch(/^too_large: /);
  });

  it("[tools.web] waits for no page for ever: not for its head, nor for its body", async () => {
    const limit = { timeoutMs: 300 };
    pages.set("/silent", () => {});
    expect((await get(at("/silent"), limit)).text).toMatch(/^timeout: /);
    pages.set("/slow", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).write("<p>so far");
    });
    expect((await get(at("/slow"), limit)).text).toMatch(/^timeout: /);
  });

  it.each([
    ["image/png", Buffer.from([0x89, 0x50])],
    ["application/octet-stream", Buffer.from("text")],
    ["application/pdf", Buffer.from("%PDF-1.7")],
    ["text/plain", Buffer.from([0x74, 0x00, 0x01])],
  ])("[tools.web] reads nothing but text: %s", async (type, body) => {
    pages.set("/binary", (_request, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    });
    expect((await get(at("/binary"))).text).toMatch(/^not_text: /);
  });

  it("[tools.web] gives up a page that would keep the converter busy", async () => {
    const page = { url: "https://example.com/", html: "<div>".repeat(200_000) };
    await expect(toMarkdown(page, never, 1500)).rejects.toMatchObject({ code: "too_complex" });
    const stop = new AbortController();
    const stopped = toMarkdown(page, stop.signal);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: "cancelled" });
  });

  it("[tools.web] says what the other side says, and what breaks off", async () => {
    expect((await get(at("/nowhere"))).text).toMatch(/^not_found: .*404/);
    pages.set("/private", (_request, response) => void response.writeHead(403).end());
    expect((await get(at("/private"))).text).toMatch(/^refused: .*403/);
    pages.set("/broken", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" });
      response.end("this is no gzip");
    });
    expect((await get(at("/broken"))).text).toMatch(/^network: /);
    pages.set("/cut", (_request, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-length": "100" });
      response.write("<p>", () => response.destroy());
    });
    expect((await get(at("/cut"))).text).toMatch(/^network: /);
    expect((await get("http://unknown.example/")).text).toMatch(/^network: .*ENOTFOUND/);
  });
});

describe("web_search", () => {
  onlyPreparedRequests();
  afterEach(() => {
    nock.cleanAll();
  });

  const searxng = openWeb({ SEARXNG_URL: "http://127.0.0.1:8888/" });
  const brave = openWeb({ BRAVE_API_KEY: "brave-key" });

  it("[tools.web] asks SearXNG, and gives title, address, excerpt and date", async () => {
    nock("http://127.0.0.1:8888")
      .get("/search")
      .query({ q: "duck teapot", format: "json" })
      .reply(200, {
        query: "duck teapot",
        results: [
          {
            title: "Ducks &amp; teapots",
            url: "https://ducks.example/",
            content: "All of <b>them</b>.",
            engine: "x",
          },
          { title: "", url: "https://b.example/", publishedDate: "2026-11-20T00:00:00" },
          { title: "Third", url: "https://c.example/", content: "c" },
        ],
      });
    const { data, text } = await call(searxng, "web_search", { query: "duck teapot", limit: 2 });
    expect(data).toEqual({
      results: [
        { title: "Ducks & teapots", url: "https://ducks.example/", excerpt: "All of them.", published: null },
        {
          title: "https://b.example/",
          url: "https://b.example/",
          excerpt: "",
          published: "2026-11-20T00:00:00",
        },
      ],
    });
    expect(text).toContain("1. **Ducks & teapots**");
  });

  it("[tools.web] asks Brave with its key", async () => {
    nock("https://api.search.brave.com", { reqheaders: { "x-subscription-token": "brave-key" } })
      .get("/res/v1/web/search")
      .query({ q: "duck", count: 10 })
      .reply(200, {
        web: {
          results: [
            {
              title: "Duck",
              url: "https://ducks.example/",
              description: "a <strong>duck</strong>",
              age: "2 days ago",
            },
          ],
        },
      });
    expect((await call(brave, "web_search", { query: "duck" })).data).toEqual({
      results: [{ title: "Duck", url: "https://ducks.example/", excerpt: "a duck", published: "2 days ago" }],
    });
    nock("https://api.search.brave.com").get("/res/v1/web/search").query(true).reply(200, { type: "search" });
    expect((await call(brave, "web_search", { query: "nothing" })).text).toContain("found nothing");
  });

  it.each([
    [
      "a key that is not accepted",
      401,
      { message: "The token is not valid" },
      /^unauthorized: .*token is not valid/,
    ],
    ["a format that is off", 403, "Forbidden", /^forbidden: /],
    ["something else than results", 200, { results: "none" }, /^invalid_answer: /],
    ["a page for people", 200, "<html>", /^invalid_answer: /],
  ])("[tools.web] says what is wrong: %s", async (_what, status, body, words) => {
    nock("http://127.0.0.1:8888").get("/search").query(true).reply(status, body);
    const { text, isError } = await call(searxng, "web_search", { query: "duck" });
    expect(isError).toBe(true);
    expect(text).toMatch(words);
  });

  it("[tools.web] refuses an address of a search engine that is none", () => {
    expect(() => openWeb({ SEARXNG_URL: "searx.example" })).toThrow(/SearXNG.*expected http/);
  });
});
