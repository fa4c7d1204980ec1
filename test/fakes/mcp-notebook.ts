// An MCP server over stdio that keeps what it is told for as long as its process lives, as servers do that hold a
// working directory, an open file or a login.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const notes: string[] = [];
const annotations = { readOnlyHint: true };

serveStdio(() => {
  const server = new McpServer({ name: "notebook", version: "1" });
  server.registerTool(
    "jot",
    { description: "Keep a note.", annotations, inputSchema: z.object({ text: z.string() }) },
    ({ text }) => {
      notes.push(text);
      return { content: [{ type: "text", text: `kept ${notes.length}` }] };
    },
  );
  server.registerTool("recall", { description: "All notes.", annotations }, () => ({
    content: [{ type: "text", text: `notes: ${notes.join(", ") || "none"}` }],
  }));
  return server;
});
