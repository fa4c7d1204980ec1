import { serveBackend } from "../kit/serve.ts";
import { createWebServer, openWeb } from "./server.ts";

await serveBackend(() => openWeb(process.env), createWebServer, { name: "web", defaultPort: 8007 });
