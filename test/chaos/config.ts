import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const server = fileURLToPath(import.meta.resolve("./counter-server.ts"));

/** The people who may countersign what needs two of them. */
export const approvers = ["ben", "chloe", "dmitri"] as const;

export interface CounterConfigOptions {
  /** Where the file is written and the counter server counts. */
  folder: string;
  /** Names the product process. */
  owner: string;
  /** postgres://…; empty for the embedded store. */
  databaseUrl?: string;
}

/** Writes a configuration with the counter server alone, planned by slash commands, and gives its path. */
export async function writeCounterConfig(options: CounterConfigOptions): Promise<string> {
  const { folder, owner, databaseUrl = "" } = options;
  const config = {
    model: { provider: "builtin" },
    servers: [
      {
        name: "counter",
        command: ["node", server],
        env: { COUNTER_FOLDER: folder, COUNTER_OWNER: owner },
        use_persistent_session: true,
        // As the bundled servers: it keeps nothing that a channel would have to have alone.
        session_scope: "shared",
        trust_annotations: true,
      },
    ],
    policy: {
      rules: [
        {
          tools: ["counter.append_twice"],
          decision: "ask",
          approvers: approvers.map((name) => `http:${name}`),
          exclude_requester: true,
          quorum: 2,
        },
        { tools: ["counter.append_again"], decision: "ask", idempotent: true },
        { tools: ["counter.append_free"], decision: "allow" },
        { tools: ["counter.append_brief"], decision: "ask", ttl: "1s" },
        { tools: ["counter.append"], decision: "ask", approvers: ["requester"] },
      ],
    },
    commands: {
      counter: {
        server: "counter",
        subcommands: {
          read: "read",
          instant: "instant",
          append: "append",
          twice: "append_twice",
          again: "append_again",
          free: "append_free",
          brief: "append_brief",
        },
      },
    },
    store: { url: databaseUrl },
  };
  const file = join(folder, `${owner}.json`);
  await writeFile(file, JSON.stringify(config));
  return file;
}
