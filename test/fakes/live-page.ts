import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";

type Fields = Record<string, unknown>;

/** A page on which a person uses a fake platform in a browser, and which looks again at every change. */
export interface LivePage {
  /** Answers a request of the page; false leaves it. */
  route: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<boolean>;
  /** Tells every open page to look again. */
  changed: () => void;
  stop: () => void;
}

export interface LivePageParts {
  assets: Readonly<Record<string, { file: URL; type: string }>>;
  /** What the page shows, by its query. */
  state(query: URLSearchParams): Fields;
  /** Does what a person did; what it throws is shown to them. */
  act(deed: Fields): Promise<Fields>;
}

/** Nothing comes from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";

export function createLivePage(parts: LivePageParts): LivePage {
  const listeners = new Set<ServerResponse>();
  let announced = false;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const type = request.headers["content-type"] ?? "";
    if (request.method !== "POST" || !type.startsWith("application/json")) {
      return json(response, 415, { problem: "expected a POST with JSON" });
    }
    try {
      json(response, 200, await parts.act(JSON.parse(Buffer.concat(chunks).toString()) as Fields));
    } catch (error) {
      json(response, 422, { problem: error instanceof Error ? error.message : String(error) });
    }
  };

  return {
    async route(request, response, url) {
      // Another site's page must not drive the fake through a name that points here.
      if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? "")) return false;
      const asset = request.method === "GET" ? parts.assets[url.pathname] : undefined;
      if (asset !== undefined) {
        response
          .writeHead(200, { "content-type": asset.type, "content-security-policy": POLICY })
          .end(await readFile(asset.file));
        return true;
      }
      switch (url.pathname) {
        case "/page/events":
          response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
          response.write("data: hello\n\n");
          listeners.add(response);
          response.on("close", () => listeners.delete(response));
          return true;
        case "/page/state":
          json(response, 200, parts.state(url.searchParams));
          return true;
        case "/page/act":
          await answer(request, response);
          return true;
        default:
          return false;
      }
    },
    changed() {
      if (announced) return;
      announced = true;
      // Many changes come at once; the page needs to look once.
      setImmediate(() => {
        announced = false;
        for (const listener of listeners) listener.write("data: changed\n\n");
      });
    },
    stop: () => listeners.forEach((listener) => listener.end()),
  };
}

function json(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
