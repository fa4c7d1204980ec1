import { serveBackend } from "../kit/serve.ts";
import { createSqlServer, openDatabase } from "./server.ts";

await serveBackend(() => openDatabase(process.env), createSqlServer, { name: "sql", defaultPort: 8006 });
