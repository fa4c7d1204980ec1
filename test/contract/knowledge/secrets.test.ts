import { generateKeyPairSync } from "node:crypto";

import { describe, expect, it } from "vitest";

import { openWiki } from "#servers/confluence/server.ts";
import { chooseBackend } from "#servers/jira/server.ts";
import { withoutSecrets } from "#servers/knowledge/ingest/secrets.ts";
import type { Index } from "#servers/knowledge/service/index-store.ts";

import { folderOf, openLibrary, pdfOf } from "./support.ts";

const letters = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1";
const many = (count: number): string => letters.repeat(5).slice(0, count);

/** A long private key: some of its lines stand in other pieces than its beginning. */
const pem = generateKeyPairSync("rsa", {
  modulusLength: 4096,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;

/** In parts, so that nobody's search for keys finds this file. */
const TOKENS: Readonly<Record<string, string>> = {
  "an AWS key": ["AKIA", "ABCDEFGH12345678"].join(""),
  "a GitHub token": ["ghp", many(36)].join("_"),
  "a fine GitHub token": ["github_pat", many(60)].join("_"),
  "a GitLab token": ["glpat", many(20)].join("-"),
  "a Slack token": ["xoxb", "123456789012", many(24)].join("-"),
  "a Slack app token": ["xapp", "1", many(30)].join("-"),
  "a Google key": ["AIza", many(35)].join(""),
  "a Google token": ["ya29", many(40)].join("."),
  "a Stripe key": ["sk", "live", many(24)].join("_"),
  "a key of a model": ["sk", "ant", many(40)].join("-"),
  "an npm token": ["npm", many(36)].join("_"),
  "an Atlassian token": ["ATATT3", many(60)].join(""),
  "a password in a URL": `postgres://shop:${many(20)}@db.example`,
  "a JWT": [`eyJ${many(20)}`, `eyJ${many(30)}`, many(30)].join("."),
};

/** Everything that a person could read in the index, in one text. */
async function everythingIn(index: Index): Promise<string> {
  const tables = ["chunks", "definitions", "relations", "vocabulary"];
  const rows = await Promise.all(tables.map((table) => index.all(`SELECT * FROM ${table}`)));
  return JSON.stringify(rows).toLowerCase();
}

/** The parts of a secret as words of the index would be; in pieces, as stems are cut. */
function wordsOf(secret: string): string[] {
  return (secret.match(/[A-Za-z0-9]{12,}/g) ?? []).map((word) => word.slice(0, 12).toLowerCase());
}

async function expectNone(index: Index, secret: string, what: string): Promise<void> {
  const all = await everythingIn(index);
  expect([what, wordsOf(secret).filter((word) => all.includes(word))]).toEqual([what, []]);
}

const pemLines = pem
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("-"))
  .join(" ");

describe("keys and tokens", () => {
  it.each(Object.entries(TOKENS))(
    "[knowledge.ingest] %s is in no text, title or heading",
    async (what, token) => {
      const { ingest, index, service } = await openLibrary();
      const folder = folderOf({
        "docs/text.md": `# Notes\n\nUse it: ${token} for now.\n`,
        "docs/title.md": `# Rotate ${token}\n\nSoon.\n\n## And ${token} again\n\nLater.\n`,
        "docs/page.html": `<html><head><title>About ${token}</title></head><body><h1>${token}</h1><p>Try ${token} here.</p></body></html>`,
        "src/a.ts": `// ${token}\nexport function useIt(): void {\n  call("${token}");\n}\n`,
        "settings.yaml": `it: ${token}\n`,
      });
      const { report } = await ingest({ type: "git", path: folder });
      expect(report).toMatchObject({ changed: 5, failures: [] });
      expect(report.secrets).toBeGreaterThanOrEqual(8);
      await expectNone(index, token, what);
      expect((await service.query({ query: "rotate", org_id: "acme" })).results[0]?.metadata).toMatchObject({
        page_title: expect.stringMatching(/^Rotate .*\[secret left out\]/),
      });
    },
  );

  it("[knowledge.ingest] a private key is in no piece of a page, ticket, PDF or file, wherever it is cut", async () => {
    const { ingest, index, folder } = await openLibrary();
    const env = { COUNTERSIGN_DATA: folder };
    const quoted = pem.replaceAll(/^/gm, "> ");
    const files = folderOf({
      "key.md": `# Deploy key\n\n${pem}\nThen go on with walrus.\n`,
      "quoted.md": `# Mail\n\n${quoted}\n\nIt ends here.\n`,
      "cut.txt": `Some words.\n\n${pem.split("\n").slice(0, 30).join("\n")}`,
      "key.html": `<h1>Key</h1><pre>${pem}</pre>`,
      "key.pdf": pdfOf(pem.replaceAll("\n", " ")),
      "key.ts": `export const key = \`${pem}\`;\n`,
      "key.json": JSON.stringify({ key: pem }),
    });
    await ingest({ type: "git", path: files });
    const call = { signal: new AbortController().signal, progress: async () => {} };
    const jira = await chooseBackend(env);
    const key = await jira.create(
      {
        project: "DEMO",
        type: "Task",
        summary: `Key ${TOKENS["a GitHub token"]}`,
        description: `Use this:\n\n${pem}`,
      },
      call,
    );
    await jira.comment(key, `Or this:\n\n${pem}`, call);
    const wiki = openWiki(env);
    const [space] = await wiki.spaces();
    if (space === undefined) throw new Error("expected a space in the demo");
    await wiki.create({
      space,
      title: `Key ${TOKENS["a JWT"]}`,
      body: `# ${TOKENS["a Slack token"]}\n\n${pem}`,
      parent: null,
    });
    await ingest({ type: "jira" });
    await ingest({ type: "confluence" });
    await expectNone(index, pemLines, "the key");
    for (const name of ["a GitHub token", "a JWT", "a Slack token"])
      await expectNone(index, TOKENS[name] ?? "", name);
    expect(await everythingIn(index)).toContain("then go on with walrus");
  });

  it("[knowledge.ingest] what settings name as secret is left out without quotes and however short", async () => {
    const { ingest, index } = await openLibrary();
    const values = [
      "Xk29dkLLmmPq8831zz",
      `${many(20)}/K7MDENG/bPxRfiCYEXAMPLE`,
      "9f8e7d6c5b4a39281706f5e4",
      "abc123def456",
      "correcthorse",
      "hunter22",
      "sesame4711",
    ];
    const [yaml, ini, shell, toml, runbook, json, listed] = values;
    await ingest({
      type: "git",
      path: folderOf({
        "deploy.yaml": `database:\n  password: ${yaml}\n`,
        "pod.yaml": `env:\n  - name: DB_PASSWORD\n    value: ${listed}\n`,
        "credentials.ini": `[default]\naws_secret_access_key = ${ini}\n`,
        "run.sh": `export API_TOKEN=${shell}\nstart\n`,
        "app.toml": `api_key = "${toml}"\n`,
        "runbook.md": `# Start\n\n\`\`\`sh\nDB_PASSWORD=${runbook} start\n\`\`\`\n\n**Password:** ${yaml}\n`,
        "users.json": JSON.stringify({ ana: { password: json } }),
      }),
    });
    const all = await everythingIn(index);
    expect(values.filter((value) => all.includes(value.toLowerCase()))).toEqual([]);
  });

  it.each([
    ["code", "login(user: string, password: string): Promise<Token>"],
    ["code", "const token = tokenOf(request); const secret = config.secret1;"],
    ["code", 'const tokenKind: Kind = "word"; if (token === undefined) return;'],
    ["settings", "password: string"],
    ["settings", "token: ${{ secrets.GITHUB_TOKEN2 }}"],
    ["settings", "password: ${DB_PASSWORD:-}\npassword_file: /run/secrets/db"],
    ["settings", "max_tokens: 4096000000\nsecretName: shop\npassword = var.db_password"],
    ["settings", "tokens:\n  - name: abc12345"],
    ["prose", "The password: string of at least twelve letters. Token: expires after 30 minutes."],
  ] as const)("[knowledge.ingest] ordinary %s stays as it is: %s", (writing, text) => {
    expect(withoutSecrets(text, writing)).toEqual({ text, found: 0 });
  });

  it("[knowledge.ingest] a token is left out where a converter to Markdown put its signs into it", () => {
    const token = `AIza${many(20)}-_${many(13)}`;
    const escaped = token.replace("_", "\\_");
    expect(withoutSecrets(`Key ${escaped} here`, "prose").text).toBe("Key [secret left out] here");
  });

  it("[knowledge.ingest] lines keep their numbers, and a long text of beginnings holds nobody up", () => {
    const { text, found } = withoutSecrets(`a\n${pem}b`, "code");
    expect([text.split("\n").length, found]).toEqual([`a\n${pem}b`.split("\n").length, 1]);
    const begin = pem.split("\n", 1)[0] ?? "";
    expect(withoutSecrets(`${begin};;`.repeat(20_000), "prose").found).toBe(20_000);
  });
});
