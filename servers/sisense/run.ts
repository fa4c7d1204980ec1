import { serveBackend } from "../kit/serve.ts";
import { createSisenseServer, openSisense } from "./server.ts";

await serveBackend(() => openSisense(process.env), createSisenseServer, {
  name: "sisense",
  defaultPort: 8005,
  health: ({ modules, tools, settings }) => ({
    ok: true,
    modules,
    tools: tools.length,
    mutations_allowed: settings.mayChange,
  }),
});
