import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { cloneRepository } from "#servers/knowledge/ingest/clone.ts";
import { parseSource, sourceDefinition, sourceKey, sourceName } from "#servers/knowledge/ingest/sources.ts";
import { amount } from "#test/amount.ts";
import { has } from "#test/machine.ts";

import { folderOf, openLibrary, writeFiles } from "./support.ts";

const never = new AbortController().signal;
const CODE = "export function retryPayment(): void {\n  charge();\n}\n";

function git(folder: string, ...args: string[]): string {
  const about = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "commit.gpgsign=false"];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const { status, stdout, stderr } = spawnSync("git", [...about, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

function commit(folder: string, message = "More"): void {
  git(folder, "add", "--all", "--force");
  git(folder, "commit", "--quiet", "--message", message);
}

/** A repository with one commit on `main`, that leaves out large files for whoever asks. */
function repositoryOf(files: Record<string, string>): string {
  const folder = folderOf();
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "config", "uploadpack.allowFilter", "true");
  writeFiles(folder, files);
  commit(folder);
  return folder;
}

interface Site {
  url: string;
  requests: { path: string; authorization: string | undefined }[];
  /** Whether any program had this among its arguments while the site was asked. */
  wasArgument(text: string): boolean;
}

/** Serves the repositories of a folder as hosts do, or whatever else. */
async function startSite(
  root: string,
  handle: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<Site> {
  const requests: Site["requests"] = [];
  let commandLines = "";
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "", "http://site");
    requests.push({ path: `${pathname}${search}`, authorization: request.headers.authorization });
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
      try {
        commandLines += readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        // It has ended.
      }
    if (handle(request, response)) return;
    const env = {
      PATH: process.env["PATH"] ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REQUEST_METHOD: request.method ?? "",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    };
    const backend = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"] });
    request.pipe(backend.stdin);
    const parts: Buffer[] = [];
    backend.stdout.on("data", (part: Buffer) => parts.push(part));
    backend.on("close", () => {
      const all = Buffer.concat(parts);
      const end = all.indexOf("\r\n\r\n");
      const headers = all
        .subarray(0, end)
        .toString()
        .split("\r\n")
        .map((line) => line.split(": ", 2));
      const told = Object.fromEntries(headers) as Record<string, string>;
      response.writeHead(Number.parseInt(told["Status"] ?? "200", 10), told);
      response.end(all.subarray(end + 4));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, wasArgument: (text) => commandLines.includes(text) };
}

/** A data folder, and what is allowed in it. */
function envOf(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv & { COUNTERSIGN_DATA: string } {
  const COUNTERSIGN_DATA = folderOf();
  return { ...process.env, KNOWLEDGE_GIT_PROTOCOLS: "http,file", ...more, COUNTERSIGN_DATA };
}

const clonesIn = ({ COUNTERSIGN_DATA: folder }: { COUNTERSIGN_DATA: string }): string[] =>
  readdirSync(join(folder, "knowledge/clones"));

describe.runIf(has("git"))("a repository by its URL", () => {
  it("[knowledge.ingest] is read at its latest commit, without links, large files and what nobody wants, and again only where it changed", async () => {
    const env = envOf();
    const { ingest, service, index } = await openLibrary({ env });
    const folder = repositoryOf({
      ".gitignore": "kept.md\n",
      "src/pay.ts": CODE,
      "kept.md": "# Kept\n\nTracked all the same.",
      "huge.md": "walrus ".repeat(200_000),
      "node_modules/x/readme.md": "# Not ours",
      "fixtures/deep/a.md": "# Fixture",
      "other.md": "# Other",
    });
    symlinkSync("/etc/passwd", join(folder, "link.md"));
    commit(folder);
    const source = { type: "git" as const, url: `file://${folder}`, exclude: ["fixtures"] };
    const first = await ingest(source);
    expect(first.source).toBe(`git:file://${folder}`);
    expect(first.report).toMatchObject({ changed: 3, skipped: { "too large": 1 }, failures: [] });
    const paths = async (): Promise<string[]> =>
      (await index.all<{ path: string }>("SELECT path FROM documents ORDER BY path")).map(({ path }) => path);
    expect(await paths()).toEqual(["kept.md", "other.md", "src/pay.ts"]);
    const [hit] = (await service.query({ query: "retry payment", org_id: "acme" }, "/query/code")).results;
    expect(hit).toMatchObject({ content: CODE.trim(), metadata: { file_path: "src/pay.ts", line_start: 1 } });

    rmSync(join(folder, "other.md"));
    writeFiles(folder, { "kept.md": "# Kept\n\nChanged." });
    commit(folder);
    expect((await ingest(source)).report).toMatchObject({ changed: 1, unchanged: 1, removed: 1 });
    git(folder, "checkout", "--quiet", "-b", "next");
    writeFiles(folder, { "next.md": "# Next" });
    commit(folder);
    expect((await ingest({ ...source, ref: "main" })).source).toBe(`git:file://${folder}#main`);
    expect((await ingest({ ...source, ref: "next" })).report.changed).toBe(3);
    expect(clonesIn(env)).toEqual([]);
  });

  it(
    "[knowledge.ingest] with 50,000 files is indexed whole, from its folder and by its URL, and then only what changed",
    async () => {
      const many = amount(50_000, 500);
      const files = Array.from({ length: many }, (_, at): [string, string] => [
        `part${at % 97}/unit${at % 1_009}/module${at}.ts`,
        `/** Handles order ${at}. */\nexport function handleOrder${at}(): void {\n  settle${at % 13}();\n}\n`,
      ]);
      const folder = repositoryOf(Object.fromEntries(files));
      const env = envOf();
      const { ingest, service } = await openLibrary({ env });
      const sources = [
        { type: "git" as const, name: "folder", path: folder },
        { type: "git" as const, name: "address", url: `file://${folder}` },
      ];
      for (const source of sources) {
        const first = await ingest(source);
        expect(first).toMatchObject({
          state: "done",
          report: { total: many, done: many, changed: many, skipped: {}, failures: [] },
        });
        for (const at of [0, many >> 1, many - 1]) {
          const asked = { query: `handleOrder${at}`, org_id: "acme", filters: { repo_filter: source.name } };
          const { results } = await service.query(asked, "/query/code");
          expect(results[0]?.metadata).toMatchObject({ repo: source.name, name: `handleOrder${at}` });
        }
      }
      rmSync(join(folder, "part0/unit0/module0.ts"));
      writeFiles(folder, { "part1/unit1/module1.ts": CODE });
      commit(folder);
      for (const source of sources)
        expect((await ingest(source)).report).toMatchObject({
          changed: 1,
          unchanged: many - 2,
          removed: 1,
        });
    },
    amount(1_200_000, 120_000),
  );

  it("[knowledge.ingest] of a host over HTTP shows its token to that host alone, in no argument, no message and no index", async () => {
    const folder = repositoryOf({ "src/pay.ts": CODE, "huge.md": "walrus ".repeat(200_000) });
    const token = "geheim4711geheim";
    const site = await startSite(join(folder, ".."), (request, response) => {
      const words = Buffer.from(request.headers.authorization?.split(" ")[1] ?? "", "base64").toString();
      if (words === `x-access-token:${token}`) return false;
      response.writeHead(words === "" ? 401 : 403, { "www-authenticate": "Basic" }).end();
      return true;
    });
    const url = `${site.url}/${folder.split("/").at(-1)}/.git`;
    const host = new URL(url).host;
    const env = envOf({ KNOWLEDGE_GIT_TOKENS: JSON.stringify({ [host]: token }) });
    const { ingest, index } = await openLibrary({ env });
    const { report } = await ingest({ type: "git", url, name: "shop" });
    expect(report).toMatchObject({ changed: 1, skipped: { "too large": 1 } });
    const asked = site.requests.length;
    expect(asked).toBeGreaterThan(1);
    expect(site.wasArgument(url)).toBe(true);
    expect(site.wasArgument(token)).toBe(false);
    expect(site.wasArgument(Buffer.from(`x-access-token:${token}`).toString("base64"))).toBe(false);
    expect(JSON.stringify(await index.all("SELECT * FROM jobs"))).not.toContain(token);

    // What was left out is not fetched later.
    const clone = await cloneRepository({ url }, env, never);
    const cloned = site.requests.length;
    const sizes = await Promise.all(
      clone.files.slice(0, 1).map(async ({ path, blob }) => [path, await clone.read(blob, 10_000_000)]),
    );
    await clone.close();
    expect([sizes, site.requests.length]).toEqual([[["huge.md", undefined]], cloned]);

    const wrong = envOf({ KNOWLEDGE_GIT_TOKENS: JSON.stringify({ [host]: "another-token-1" }) });
    await expect(cloneRepository({ url }, wrong, never)).rejects.toThrow(/403|Authentication failed/);
    await expect(cloneRepository({ url }, envOf(), never)).rejects.toThrow(
      /Authentication failed|could not read/,
    );
    const elsewhere = await startSite(folder);
    const moved = await startSite(folder, (request, response) => {
      response.writeHead(302, { location: `${elsewhere.url}${request.url ?? ""}` }).end();
      return true;
    });
    const both = envOf({ KNOWLEDGE_GIT_TOKENS: JSON.stringify({ "127.0.0.1": token }) });
    await expect(cloneRepository({ url: `${moved.url}/x` }, both, never)).rejects.toThrow(
      /redirect|302|unable to (?:access|update)/,
    );
    expect(moved.requests[0]?.authorization).toBeDefined();
    expect(elsewhere.requests).toEqual([]);
    expect(clonesIn(both)).toEqual([]);
  });

  it("[knowledge.ingest] that is too large, takes too long, is not there or not allowed is refused in words, and leaves nothing", async () => {
    const env = envOf();
    const folder = repositoryOf({ "a.md": "# A", "b.md": "# B" });
    const url = `file://${folder}`;
    const limits = { ms: 60_000, bytes: 1_000_000, files: 1_000 };
    const refused = async (more: Partial<typeof limits>, at = url): Promise<unknown> =>
      cloneRepository({ url: at }, env, never, { ...limits, ...more }).catch((error: unknown) => error);
    expect(await refused({ files: 1 })).toMatchObject({ code: "source_too_large" });
    expect(await refused({ bytes: 10 })).toMatchObject({ code: "source_too_large" });
    expect(await refused({}, `${url}/nowhere`)).toMatchObject({ code: "source_not_found" });
    const ref = { url, ref: "no-such-branch" };
    await expect(cloneRepository(ref, env, never, limits)).rejects.toThrow("no-such-branch");
    const hung = await startSite(folder, () => true);
    expect(await refused({ ms: 300 }, `${hung.url}/x`)).toMatchObject({
      code: "source_not_found",
      message: `${hung.url}/x took longer than 0.3 s`,
    });
    const stop = new AbortController();
    const site = await startSite(folder, () => {
      stop.abort(new Error("the product stops"));
      return true;
    });
    await expect(cloneRepository({ url: `${site.url}/x` }, env, stop.signal)).rejects.toThrow(
      "the product stops",
    );
    expect(clonesIn(env)).toEqual([]);
    const strict = { ...env, KNOWLEDGE_GIT_PROTOCOLS: "" };
    await expect(cloneRepository({ url }, strict, never)).rejects.toThrow(
      "expected a URL that begins with https:// or ssh://",
    );
    const nothing = { ...env, PATH: "/nowhere" };
    await expect(cloneRepository({ url }, nothing, never)).rejects.toThrow("there is no git on this machine");
  });
});

it.each([
  "https://ana:geheim@git.example/shop.git",
  "https://geheim@git.example/shop.git",
  "https://git.example/shop.git?token=geheim",
  "ssh://-oProxyCommand=touch/shop",
  "ssh://ana:geheim@git.example/shop",
  "ext::sh -c touch",
  "--upload-pack=touch",
  "git://git.example/shop",
  "file://elsewhere/shop",
])("[knowledge.ingest] refuses a repository by the URL %s", (url) => {
  const base = { type: "git", url };
  expect(sourceDefinition.safeParse(base).success).toBe(false);
});

it("[knowledge.ingest] knows a repository's URL on the command line, and what to call it", () => {
  const source = parseSource("https://git.example/team/shop.git");
  expect([source.type, source.url, sourceName(source)]).toEqual([
    "git",
    "https://git.example/team/shop.git",
    "shop",
  ]);
  expect(sourceKey(parseSource("git:ssh://git@git.example/shop"))).toBe("git:ssh://git@git.example/shop");
  expect(() => parseSource("https://ana:geheim@git.example/x")).toThrow("without a password");
});
