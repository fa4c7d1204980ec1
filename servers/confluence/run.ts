import { serveBackend } from "../kit/serve.ts";
import { createConfluenceServer, openWiki } from "./server.ts";

await serveBackend(() => openWiki(process.env), createConfluenceServer, {
  name: "confluence",
  defaultPort: 8004,
});
