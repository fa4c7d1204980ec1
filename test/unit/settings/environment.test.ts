import { inspect } from "node:util";

import { expect, it } from "vitest";

import { loadText, problemsOf, refusal } from "./write-config.ts";

const key = Buffer.alloc(32, 7);

it("replaces variables and defaults before validation, also where a number or truth value belongs", async () => {
  const settings = await loadText(
    [
      'http: { host: "${BIND:-127.0.0.2}", port: "${P}" }',
      'privacy: { summarize: "${SUMMARIZE:-false}" }',
      'views: { a: "${EMPTY:-Fallback}", b: "${EMPTY}", c: "x-${P}-y", d: "$${P}" }',
    ].join("\n"),
    { env: { P: "9000", EMPTY: "" } },
  );
  expect(settings.http).toMatchObject({ host: "127.0.0.2", port: 9000 });
  expect(settings.privacy.summarize).toBe(false);
  expect(settings.views).toEqual({ a: "Fallback", b: "", c: "x-9000-y", d: "${P}" });
});

it("names the key that uses a missing variable, once", async () => {
  expect(await problemsOf('servers:\n  - name: jira\n    url: "${JIRA_MCP}"\n')).toEqual([
    {
      file: "countersign.yaml",
      line: 3,
      column: 10,
      path: "servers[0].url",
      expected: "the environment variable JIRA_MCP",
      found: "${JIRA_MCP}, which is not set",
      fix: "set JIRA_MCP, or write ${JIRA_MCP:-default}",
    },
  ]);
});

it("refuses a malformed reference", async () => {
  expect(await problemsOf('views: { a: "${not a name}" }')).toMatchObject([{ path: "views.a" }]);
  expect(await problemsOf('views: { a: "${OPEN" }', { env: { OPEN: "x" } })).toMatchObject([
    { path: "views.a" },
  ]);
});

it("a value from the environment can neither add keys nor be replaced again", async () => {
  const env = { A: 'x"\nhttp: { port: 1 }', B: "${A}" };
  const settings = await loadText('views: { a: "${A}", b: "${B}" }', { env });
  expect(settings.views).toEqual({ a: env.A, b: "${A}" });
  expect(settings.http.port).toBe(8787);
});

it("HOST, PORT and COUNTERSIGN_DATA override", async () => {
  const env = { HOST: "::1", PORT: "0", COUNTERSIGN_DATA: "/srv/data" };
  const settings = await loadText("http: { host: 127.0.0.1, port: 1 }", { env });
  expect(settings.http).toMatchObject({ host: "::1", port: 0 });
  expect(settings.data_dir).toBe("/srv/data");
});

it("takes an IPv6 address with the brackets of a URL and without them", async () => {
  for (const HOST of ["::1", "[::1]"]) {
    expect((await loadText("", { env: { HOST } })).http.host).toBe("::1");
    expect((await loadText(`http: { host: "${HOST}" }\nslack: { host: "${HOST}" }`)).http.host).toBe("::1");
  }
  expect((await loadText('http: { host: "[example]" }')).http.host).toBe("[example]");
});

it.each(["65536", "-1", "http", "1e3"])("refuses PORT=%s", async (PORT) => {
  expect(await problemsOf("", { env: { PORT } })).toMatchObject([{ file: "environment", path: "PORT" }]);
});

it("reads the secret key and does not print it", async () => {
  const env = { COUNTERSIGN_SECRET_KEY: key.toString("base64") };
  const settings = await loadText("", { env });
  expect(settings.secret_key?.export()).toEqual(key);
  for (const printed of [JSON.stringify(settings), inspect(settings, { depth: 9 })]) {
    expect(printed).not.toContain(env.COUNTERSIGN_SECRET_KEY);
    expect(printed).not.toContain(key.toString("hex"));
  }
});

it.each(["c2hvcnQ=", key.toString("hex"), "*".repeat(44)])(
  "refuses the secret key %s without showing it",
  async (text) => {
    const error = await refusal("", { env: { COUNTERSIGN_SECRET_KEY: text } });
    expect(error.problems).toMatchObject([
      { path: "COUNTERSIGN_SECRET_KEY", expected: "32 bytes in base64" },
    ]);
    expect(error.message).not.toContain(text);
  },
);

it("a Postgres shared by replicas needs a shared secret key", async () => {
  const text = "store: { url: postgres://localhost/countersign }";
  expect(await problemsOf(text)).toMatchObject([{ path: "COUNTERSIGN_SECRET_KEY" }]);
  const env = { COUNTERSIGN_SECRET_KEY: key.toString("base64") };
  await expect(loadText(text, { env })).resolves.toMatchObject({
    store: { url: "postgres://localhost/countersign" },
  });
});

it("gives OLLAMA_HOST without a scheme the one that Ollama means", async () => {
  const base = async (host: string): Promise<string> =>
    (await loadText('model: { ollama: { base_url: "${H}" } }', { env: { H: host } })).model.ollama.base_url;
  expect(await base("127.0.0.1:4000")).toBe("http://127.0.0.1:4000");
  expect(await base("gpu.example.com")).toBe("http://gpu.example.com:11434");
  expect(await base("https://gpu.example.com/ollama")).toBe("https://gpu.example.com/ollama");
});
