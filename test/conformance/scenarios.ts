import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";
import { z } from "zod";

const revisions = ["2025-11-25", "2026-07-28"] as const;
type Revision = (typeof revisions)[number];

/** A scenario of one version of the suite at one revision of the protocol. */
export interface Scenario {
  suite: "0.1.16" | "0.2.0-alpha.12";
  /** `client`: the pool is tested; `server`: a server of ours is. */
  leg: "client" | "server";
  revision: Revision;
  name: string;
  /** Of the leg `server`. */
  server?: ServerName;
}

/** What is served, from the project's root. `kit` is what the suite asks for over the bundled servers' kit. */
export const servers = {
  jira: "servers/jira/main.ts",
  confluence: "servers/confluence/main.ts",
  kit: "test/conformance/kit-server.ts",
} as const;
export type ServerName = keyof typeof servers;

const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));

export const programs: Record<Scenario["suite"], string> = {
  "0.1.16": `${modules}@modelcontextprotocol/conformance/dist/index.js`,
  "0.2.0-alpha.12": `${modules}conformance-next/dist/index.js`,
};

const Requirements = z.object({ client: z.array(z.string()), server: z.array(z.string()) });

/** What 0.1.16 scores: it has no frozen sets. Its drafts and extensions are not among them. */
const core = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
];

/**
 * Most of the suite's server scenarios want a server made for them, with tools of given names. These need
 * none, or few, so every server can be held to them. Two are beyond the frozen sets:
 * server-session-lifecycle and http-header-validation.
 */
const anyServer: Record<Revision, readonly string[]> = {
  "2025-11-25": [
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "server-stateless",
    "server-sse-multiple-streams",
    "http-header-validation",
    "tools-list",
    "dns-rebinding-protection",
    "caching",
  ],
};

/** What the bundled servers' own tools cannot be asked. */
const kitServer: Record<Revision, readonly string[]> = {
  "2025-11-25": [],
  "2026-07-28": ["server-stateless", "caching"],
};

export function scenarios(): Scenario[] {
  const frozen = revisions.flatMap((revision): Scenario[] => {
    const file = `${modules}conformance-next/requirements/${revision}.yaml`;
    const { client } = Requirements.parse(parse(readFileSync(file, "utf8")));
    const of = (names: readonly string[], server: ServerName): Scenario[] =>
      names.map((name) => ({ suite: "0.2.0-alpha.12", leg: "server", revision, name, server }));
    return [
      ...client.map((name): Scenario => ({ suite: "0.2.0-alpha.12", leg: "client", revision, name })),
      ...of(anyServer[revision], "jira"),
      ...of(anyServer[revision], "confluence"),
      ...of(kitServer[revision], "kit"),
    ];
  });
  const old = core.map((name): Scenario => ({
    suite: "0.1.16",
    leg: "client",
    revision: "2025-11-25",
    name,
  }));
  return [...old, ...frozen];
}
