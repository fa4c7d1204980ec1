// What the suite asks of a server made for it, over the kit that serves the bundled servers: their own tools
// need no model and no question, so these checks cannot be made with them.
import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { cacheHints } from "#servers/kit/tool.ts";
import { serve } from "#servers/kit/serve.ts";

const hint = { ttlMs: 1_000, cacheScope: "public" } as const;

function build(): McpServer {
  const server = new McpServer(
    { name: "kit", version: "1.0.0" },
    {
      capabilities: { logging: {} },
      cacheHints: {
        ...cacheHints,
        "prompts/list": hint,
        "resources/list": hint,
        "resources/templates/list": hint,
        "resources/read": hint,
      },
    },
  );
  server.registerTool("test_missing_capability", { description: "Asks the client's model." }, () =>
    inputRequired({
      inputRequests: {
        answer: inputRequired.createMessage({
          messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
          maxTokens: 10,
        }),
      },
    }),
  );
  server.registerTool("test_streaming_elicitation", { description: "Asks the person." }, () =>
    inputRequired({
      inputRequests: {
        sure: inputRequired.elicit({
          message: "Sure?",
          requestedSchema: z.object({ sure: z.boolean() }),
        }),
      },
    }),
  );
  server.registerTool("test_logging_tool", { description: "Writes to the log." }, async (context) => {
    await context.mcpReq.log("info", "said by the tool");
    return { content: [{ type: "text", text: "logged" }] };
  });
  server.registerPrompt("greet", { description: "A greeting." }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
  }));
  server.registerResource("note", "test://note", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "A note." }],
  }));
  return server;
}

await serve(build, { name: "kit", defaultPort: 0, argv: process.argv.slice(2) });
