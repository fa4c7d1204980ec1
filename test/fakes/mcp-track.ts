// An MCP server over stdio as many trackers are: records with a title, changed by one tool that has no dry run and
// answers only that it heard. A priority of `sealed` is taken and not kept. TRACK_FILE keeps the records.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

interface Record {
  ref: number;
  headline: string;
  state: string;
  priority: string;
  owner: { login: string } | null;
  link: string;
}

const file = process.env.TRACK_FILE ?? "";
const first = [
  { ref: 7, headline: "Printer on fire", state: "open", priority: "low", owner: { login: "ben" } },
  { ref: 8, headline: "Lamp is broken", state: "open", priority: "low", owner: null },
].map((record): Record => ({ ...record, link: `https://track.example/${record.ref}` }));
const records = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record[]) : first;

serveStdio(() => {
  const server = new McpServer({ name: "track", version: "1" });
  server.registerTool(
    "get_record",
    {
      description: "One record.",
      annotations: { readOnlyHint: true },
      inputSchema: z.object({ ref: z.number() }),
    },
    ({ ref }) => {
      const record = records.find((one) => one.ref === ref);
      if (record === undefined)
        return { content: [{ type: "text", text: `There is no record ${ref}.` }], isError: true };
      return { content: [], structuredContent: { record: { ...record } } };
    },
  );
  server.registerTool(
    "modify_record",
    {
      description: "Changes a record.",
      inputSchema: z.object({
        ref: z.number(),
        state: z.string().optional(),
        priority: z.string().optional(),
        owner: z.string().optional(),
        remark: z.string().optional(),
      }),
    },
    ({ ref, state, priority, owner }) => {
      const record = records.find((one) => one.ref === ref);
      if (record === undefined)
        return { content: [{ type: "text", text: `There is no record ${ref}.` }], isError: true };
      if (state !== undefined) record.state = state;
      if (priority !== undefined && priority !== "sealed") record.priority = priority;
      if (owner !== undefined) record.owner = { login: owner.toLowerCase() };
      writeFileSync(file, JSON.stringify(records));
      return { content: [{ type: "text", text: "heard" }] };
    },
  );
  return server;
});
