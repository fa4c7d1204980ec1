import { serveBackend } from "../kit/serve.ts";
import { openEvents } from "./events.ts";
import { chooseKnowledge } from "./knowledge.ts";
import { createKnowledgeServer } from "./server.ts";

const events = await openEvents(process.env);

await serveBackend(
  () => chooseKnowledge(process.env),
  (knowledge) => createKnowledgeServer(knowledge, events),
  { name: "knowledge", defaultPort: 9006 },
);
events.close();
