import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface WireAttribute {
  key: string;
  value: object;
}

/** A span as OTLP tells it. */
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: WireAttribute[];
  links: { traceId: string; spanId: string; attributes: WireAttribute[] }[];
  status: { code?: number };
}

export interface Collector {
  url: string;
  /** Every byte that came. */
  wire(): string;
  spans(): (Omit<WireSpan, "attributes" | "links"> & {
    attributes: Record<string, unknown>;
    links: { traceId: string; spanId: string; attributes: Record<string, unknown> }[];
  })[];
  stop(): Promise<void>;
}

/** Takes traces over OTLP, or takes the connection and never answers. */
export async function startCollector({ hangs = false } = {}): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      bodies.push(`${JSON.stringify(request.headers)}\n${body}`);
      if (hangs) return;
      response.writeHead(request.url === "/v1/traces" ? 200 : 404, { "content-type": "application/json" });
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wire: () => bodies.join("\n"),
    spans() {
      const sent = bodies.map((text) => JSON.parse(text.slice(text.indexOf("\n") + 1)) as WireTraces);
      const spans = sent.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
      );
      return spans.map((span) => ({
        ...span,
        attributes: toRecord(span.attributes),
        links: span.links.map((link) => ({ ...link, attributes: toRecord(link.attributes) })),
      }));
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface WireTraces {
  resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[];
}

function toRecord(attributes: readonly WireAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));
}
