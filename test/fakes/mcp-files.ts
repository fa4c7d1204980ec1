// An MCP server over stdio whose tools bring files.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const image = (bytes: number) => ({
  type: "image" as const,
  mimeType: "image/png",
  data: Buffer.alloc(bytes, "i").toString("base64"),
});
const file = (name: string, text: string) => ({
  type: "resource" as const,
  resource: {
    uri: `file:///out/${name}`,
    mimeType: "text/plain",
    blob: Buffer.from(text).toString("base64"),
  },
});
const annotations = { readOnlyHint: true };

serveStdio(() => {
  const server = new McpServer({ name: "files", version: "1" });
  server.registerTool("report", { description: "A picture and a text.", annotations }, () => ({
    content: [{ type: "text", text: "Two files." }, image(300), file("report.txt", "all is well")],
  }));
  server.registerTool(
    "many",
    { description: "Many files.", annotations, inputSchema: z.object({ count: z.number() }) },
    ({ count }) => ({
      content: Array.from({ length: count }, (_, index) =>
        file(`part-${index + 1}.txt`, `part ${index + 1}`),
      ),
    }),
  );
  server.registerTool("big", { description: "A file that is too large for a chat.", annotations }, () => ({
    content: [image(11 * 1024 * 1024), file("small.txt", "small")],
  }));
  return server;
});
