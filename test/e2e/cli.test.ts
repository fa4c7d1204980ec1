import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";

import { canonicalJson } from "#src/base/json.ts";
import { usage } from "#app/command-line.ts";
import { commands } from "#app/commands.ts";
import { hashAuditRow } from "#src/ledger/audit.ts";
import type { Row } from "#src/store/schema.ts";
import { Terminal } from "#test/contract/surface/terminal.ts";
import { joinPostgres } from "#test/fakes/postgres.ts";

import { countersign, type Ran, spawnCountersign } from "./command.ts";
import {
  askFor,
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  jiraOnly,
  projectRoot,
  type RunningProduct,
  startProduct,
  storedIssues,
  temporaryFolder,
} from "./support.ts";

vi.setConfig({ testTimeout: 240_000 });

const policy = {
  rules: [
    { tools: ["jira.get_*"], decision: "allow" },
    { tools: ["jira.delete_*"], decision: "deny" },
    {
      tools: ["jira.create_issue"],
      when: [{ arg: "project", in: ["OPS"] }],
      decision: "ask",
      approvers: ["group:ops"],
      quorum: 2,
      ttl: "30m",
    },
    { tools: ["jira.create_*"], decision: "ask", approvers: ["channel"], exclude_requester: true },
  ],
  groups: { ops: ["http:ben", "http:chloe"] },
};

let config: string;

beforeAll(async () => {
  config = join(await temporaryFolder(), "countersign.json");
  await writeFile(config, JSON.stringify(jiraOnly({ policy })));
});
afterAll(cleanUpAll);

describe("help and wrong use", () => {
  it("says which Node it needs to one that is older", async () => {
    const older = join(await temporaryFolder(), "older.mjs");
    await writeFile(older, 'Object.defineProperty(process, "version", { value: "v20.1.0" });');
    const old = await spawnCountersign(["chat"], { NODE_OPTIONS: `--import=${older}` });
    expect(old).toMatchObject({ code: 1, stdout: "" });
    expect(old.stderr).toContain("Countersign needs Node 24 or newer, and this is v20.1.0.");
  });

  it("finds the bundled servers from any folder", async () => {
    const cwd = await temporaryFolder();
    const data = { COUNTERSIGN_DATA: join(cwd, "data") };
    const ran = await spawnCountersign(["tools", "--config", config], data, cwd);
    expect(ran.stdout).toContain("jira.get_jira_issue");
    expect(ran.stderr + ran.stdout).not.toContain("is down");
  });

  it("prints how each command is called, with its options", async () => {
    for (const command of commands) {
      const text = usage(commands, command);
      expect(text).toContain(`Usage: countersign ${[command.name, ...(command.args ?? [])].join(" ")}`);
      expect(text).toContain(command.summary);
      for (const option of [...Object.keys(command.options ?? {}), "config", "help"]) {
        expect(text).toContain(`--${option}`);
      }
    }
    const [explain] = commands.filter(({ name }) => name === "policy explain");
    const help = await spawnCountersign(["policy", "explain", "--help"]);
    expect(help).toEqual({ code: 0, stdout: `${usage(commands, explain)}\n`, stderr: "" });
    const all = await spawnCountersign([]);
    expect(all.code).toBe(0);
    for (const command of commands) expect(all.stdout).toContain(command.name);
    expect((await countersign(["-h"])).stdout).toBe(all.stdout);
    const family = await countersign(["audit", "--help"]);
    expect(family.stdout.match(/^  audit \w+/gm)).toEqual([
      "  audit verify",
      "  audit export",
      "  audit head",
    ]);
    expect(family.stdout).not.toContain("knowledge");
  });

  it.each([
    ["no such command", ["dance"], "dance"],
    ["half a command", ["audit"], "Expected verify, export, or head after audit, got nothing."],
    ["a slip", ["audit", "verfy"], "Did you mean audit verify?"],
    ["a slip in an option", ["tools", "--jsn"], "Did you mean --json?"],
    ["an argument too few", ["call"], "Usage: countersign call TOOL"],
    ["no such state", ["approvals", "--state", "pendng"], "Did you mean pending?"],
    ["an unknown option", ["audit", "verify", "--loud"], "--loud"],
    ["an argument too many", ["audit", "head", "now"], "now"],
    ["a missing argument", ["approvals", "approve"], "ID"],
    ["an option without its value", ["audit", "verify", "--head"], "--head"],
    ["a head that is none", ["audit", "verify", "--head", "12:abc"], "SEQ:HASH"],
    ["arguments that are no JSON", ["policy", "explain", "jira.get_jira_issue", "--args", "{"], "--args"],
    ["arguments that are no object", ["policy", "explain", "jira.get_jira_issue", "--args", "[1]"], "--args"],
    ["an actor that is none", ["policy", "explain", "jira.get_jira_issue", "--as", "ana"], "--as"],
    ["an address that is none", ["approvals", "list", "--url", "nowhere"], "--url"],
  ])("exits with 2 for %s, and says what was expected", async (_, args, named) => {
    const ran = await countersign(args);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain(named);
    expect(ran.stderr).not.toContain("    at ");
  });

  it("[mcp.config] adds a known server to the configuration once, and says what it needs", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "mine.yaml");
    const mine = "# Ours.\nservers:\n  - name: jira # the demo\n    command: [node, servers/jira/main.ts]\n";
    await writeFile(file, mine, { mode: 0o600 });
    const add = (name: string, ...more: string[]): Promise<Ran> =>
      countersign(["servers", "add", name, "--config", file, ...more]);

    const added = await add("GitLab");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toContain("GITLAB_TOKEN  a personal access token (not set yet)");
    const text = await readFile(file, "utf8");
    expect(text.startsWith(mine)).toBe(true);
    expect(text).toContain('command: [npx, -y, "@zereight/mcp-gitlab"]');
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const again = await add("GITLAB", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({
      name: "gitlab",
      added: false,
      missing: ["GITLAB_TOKEN"],
    });
    expect(await readFile(file, "utf8")).toBe(text);

    expect(await add("gitlap")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Did you mean gitlab?"),
    });
    expect(await add("atlasian")).toMatchObject({ code: 1, stderr: expect.stringContaining("atlassian") });
    expect((await countersign(["servers", "add"])).code).toBe(2);

    // Its command has to be in the manifest of the Slack app.
    const other = ["--config", join(folder, "other.yaml")];
    await writeFile(join(folder, "other.yaml"), "servers: []\n");
    const ensembles = await countersign(["servers", "add", "ensembles", ...other]);
    expect(ensembles.stdout).toContain("Slack offers /ensemble once its app has it");
    const { stdout: manifest } = await countersign(["slack", "manifest", ...other]);
    expect(parse(manifest)).toMatchObject({ settings: { socket_mode_enabled: true } });
    expect(manifest).toContain("command: /ensemble\n");

    expect(
      (await countersign(["servers", "add", "time", "--config", join(folder, "none.yaml")])).stderr,
    ).toContain("no such file");
    await writeFile(file, "servers: [");
    expect(await add("time")).toMatchObject({ code: 1, stderr: expect.stringContaining("config_invalid") });
    expect(await readFile(file, "utf8")).toBe("servers: [");
  });

  it("exits with 1 where there is nothing to look at, and says so", async () => {
    const env = { COUNTERSIGN_DATA: await temporaryFolder() };
    const [none, closed, unread] = await Promise.all([
      countersign(["audit", "verify"], env),
      spawnCountersign(["approvals", "list", "--url", "http://127.0.0.1:9"], env),
      countersign(["audit", "head", "--config", "/nowhere.yaml"], env),
    ]);
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toContain("There is no store in");
    expect(closed.code).toBe(1);
    expect(closed.stderr).toContain("Nothing answers at http://127.0.0.1:9");
    expect(unread.code).toBe(1);
    expect(unread.stderr).toContain("/nowhere.yaml");
  });

  it("exits with 1 where something else answers", async () => {
    const other = createServer((_, response) => response.end("<html>"));
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    cleanUp(() => new Promise((resolve) => other.close(resolve)));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const ran = await countersign(["approvals", "list", "--url", url]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("not Countersign");
  });
});

describe("approvals of a running product", () => {
  let product: RunningProduct;
  beforeAll(async () => {
    product = await startProduct({ config: jiraOnly({ policy }) });
  });

  const at = (...args: string[]): Promise<Ran> => countersign(["approvals", ...args, "--url", product.url]);

  it("[approve.two-phase] [approve.eligible] lists, shows, approves, denies, and says how it went", async () => {
    const first = await askFor(product, "create an issue in DEMO titled 'From the terminal'", {
      actor: "ana",
    });
    const second = await askFor(product, "create an issue in DEMO titled 'Not this one'", {
      actor: "ana",
      session_id: "other",
    });
    const { approval_id: id } = first.pending;

    const [list, listJson, show, showJson] = await Promise.all([
      at("list"),
      at("list", "--json"),
      at("show", id),
      at("show", id, "--json"),
    ]);
    expect(list.code).toBe(0);
    const told = list.stdout.split("\n\n").find((text) => text.includes(id));
    expect(told?.trim().split("\n")).toEqual([
      `${id}  needs approval`,
      "  Create a task “From the terminal” in DEMO",
      expect.stringMatching(/^  Requested by ana · until \d+ \w{3} \d{4}, \d\d:\d\d UTC$/),
    ]);
    expect(list.stdout).not.toMatch(/jira\.|http:/);
    const listed = JSON.parse(listJson.stdout) as { approval_id: string }[];
    expect(listed.map((one) => one.approval_id).toSorted()).toEqual(
      [id, second.pending.approval_id].toSorted(),
    );

    expect(show.stdout).toContain(first.pending.key);
    expect(JSON.parse(showJson.stdout)).toMatchObject({
      approval_id: id,
      state: "pending",
      args: first.pending.args,
    });

    const own = await at("approve", id, "--as", "ana");
    expect(own.code).toBe(1);
    expect(own.stdout).toContain("not_eligible: You asked for this change");
    const approved = await at("approve", id, "--as", "ben", "--reason", "looks right");
    expect(approved).toMatchObject({ code: 0, stdout: "approved: Approved by ben. It runs now.\n" });
    await follow(product, first.turnId);
    expect(storedIssues(product.dataDir, "From the terminal")).toHaveLength(1);
    const late = await at("approve", id, "--as", "chloe", "--json");
    expect(late.code).toBe(1);
    expect(JSON.parse(late.stdout)).toMatchObject({
      outcome: "already_decided",
      approval: { state: "done" },
    });

    const denied = await at("deny", second.pending.approval_id, "--as", "ben", "--reason", "not now");
    expect(denied).toMatchObject({ code: 0, stdout: "denied: Denied by ben. Nothing is changed.\n" });
    await follow(product, second.turnId);
    expect(storedIssues(product.dataDir, "Not this one")).toEqual([]);
    expect((await at("list")).stdout).toBe("No approval is pending.\n");
    expect((await at("list", "--state", "done")).stdout).toContain(id);
  });

  it("exits with 1 for an approval that is not there, and with 2 for a state that is none", async () => {
    const [unknown, state] = await Promise.all([at("show", "appr_none"), at("list", "--state", "maybe")]);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("[not_found]");
    expect(state.code).toBe(2);
    expect(state.stderr).toContain("state");
  });
});

describe("what servers and people say, on a terminal", () => {
  /** Colours of the log itself are taken out before. A terminal's line ends in CR LF. */
  const obeyed = (text: string): string[] =>
    text
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      .replaceAll(/\u001b\[\d*m|\r(?=\r*\n)/g, "")
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      .match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|\p{Bidi_Control}/gu) ?? [];
  const server = join(projectRoot, "test/fakes/mcp-escapes.ts");
  let evil: string;

  beforeAll(async () => {
    evil = join(await temporaryFolder(), "countersign.json");
    const servers = [
      { name: "evil", command: ["node", server], trust_annotations: true },
      { name: "down", command: ["node", server], env: { REFUSES: "1" } },
    ];
    const commandsOf = { evil: { server: "evil", default: "change" } };
    const model = { provider: "builtin" };
    await writeFile(evil, JSON.stringify({ model, servers, commands: commandsOf }));
  });

  const within = (...args: string[]): Promise<Ran> => countersign([...args, "--config", evil]);

  it("[safe.text] obeys nothing of an error that ends the process", async () => {
    // Fails as soon as somebody listens to what nothing caught.
    const thrown = String.raw`\u001b]0;owned\u0007\u202e`;
    const failing = `process.on("newListener",(name)=>{if(name==="uncaughtException")setImmediate(()=>{throw new Error("${thrown}")})})`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(failing)}`;
    const { code, stderr } = await spawnCountersign(["tools", "--config", evil], { NODE_OPTIONS });
    expect(code).toBe(1);
    expect(stderr).toContain("countersign ended by an error: Error: ␛]0;owned␇�");
    expect(obeyed(stderr)).toEqual([]);
  });

  it.each([
    ["tools", "evil.say", ["tools"]],
    ["tools --json", "evil.say", ["tools", "--json"]],
    ["servers", "down", ["servers"]],
    ["servers --json", "down", ["servers", "--json"]],
    ["call", "value \\u001b]0;owned", ["call", "evil.say"]],
    ["call --json", "value \\u001b]0;owned", ["call", "evil.say", "--json"]],
    ["call that fails", "result ␛]0;owned", ["call", "evil.fail"]],
    ["policy explain", "evil.change", ["policy", "explain", "evil.change"]],
    ["policy explain --json", "evil.change", ["policy", "explain", "evil.change", "--json"]],
  ])("[safe.text] `%s` writes nothing that a terminal obeys", async (_, seen, args) => {
    const { stdout, stderr } = await within(...args);
    expect(stdout).toContain(seen);
    expect({ stdout: obeyed(stdout), stderr: obeyed(stderr) }).toEqual({ stdout: [], stderr: [] });
    // No line of a table is a server's.
    if (args[0] !== "call") expect(stdout).not.toMatch(/^forged/m);
    if (args.includes("--json")) expect(JSON.parse(stdout)).toBeTypeOf("object");
  });

  it("[safe.text] neither do errors, the log of a running product, its approvals and its audit record", async () => {
    const dataDir = await temporaryFolder();
    const terminal = new Terminal(["app/main.ts", "start", "--config", evil], {
      COUNTERSIGN_DATA: dataDir,
      PORT: "0",
      OLLAMA_HOST: "http://127.0.0.1:9",
    });
    cleanUp(() => terminal.kill());
    await terminal.until(() => /ready: open http\S+/.test(terminal.raw), "a started product", 50_000);
    const [, url = ""] = /ready: open (http:\/\/[\d.:]+)/.exec(terminal.raw) ?? [];
    const [text, evils] = ["\u202egnp\u2066", "\u001b]0;mine\u0007\u009b2J\u202e"];
    const turn = await fetch(new URL("/agent/turn", url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session_id: "s", actor: "ana", message: `/evil text="${text}"` }),
    });
    expect(await turn.text()).toContain("approval");
    const unknown = await countersign(["call", `evil.none${evils}`, "--config", evil]);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("There is no tool evil.none");
    const outputs = {
      unknown: unknown.stdout + unknown.stderr,
      wrong: (await countersign([`dance${evils}`])).stderr,
      list: (await within("approvals", "list", "--url", url)).stdout,
      listJson: (await within("approvals", "list", "--url", url, "--json")).stdout,
      show: "",
      export: (await countersign(["audit", "export", "--config", evil], { COUNTERSIGN_DATA: dataDir }))
        .stdout,
    };
    const [{ approval_id: id, args }] = JSON.parse(outputs.listJson) as [
      { approval_id: string; args: object },
    ];
    expect(args).toEqual({ text });
    outputs.show = (await within("approvals", "show", id, "--url", url)).stdout;
    const found = Object.entries(outputs).map(([name, output]) => [
      name,
      output === "" ? "none" : obeyed(output),
    ]);
    expect(found).toEqual(Object.keys(outputs).map((name) => [name, []]));
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(0);
    expect(terminal.raw).toContain("stderr ␛]0;owned");
    expect(terminal.titles).toEqual([]);
    expect(obeyed(terminal.raw.replace("^C", ""))).toEqual([]);
  });
});

describe("policy explain", () => {
  const explain = (...args: string[]): Promise<Ran> =>
    countersign(["policy", "explain", ...args, "--config", config]);

  it("[approve.policy] says which rule decides a call, why, and who may approve", async () => {
    const ran = await explain(
      "jira.create_issue",
      "--args",
      '{"project":"OPS","summary":"x"}',
      "--as",
      "http:ana",
    );
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("jira.create_issue: ask, by rule 3 (jira.create_issue)");
    expect(ran.stdout).toContain("rule 1 (jira.get_*): it names other tools than jira.create_issue");
    expect(ran.stdout).toContain("→ rule 3 (jira.create_issue): every condition holds");
    expect(ran.stdout).not.toContain("rule 4");
    expect(ran.stdout).toContain("Approvers: group:ops; 2 needed, within 30 min.");
    expect(ran.stdout).toContain("http:ana: You can't decide this request: anyone of the group ops can.");
  });

  it("[approve.policy] goes on to the next rule where a condition does not hold, in JSON as well", async () => {
    const ran = await explain("create_issue", "--args", '{"project":"DEMO"}', "--as", "http:ben", "--json");
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      tool: "jira.create_issue",
      actor: "http:ben",
      decision: { decision: "ask", rule: "rule 4 (jira.create_*)", excludeRequester: true },
      considered: [
        { matched: false },
        { matched: false },
        { matched: false, why: 'project is "DEMO"' },
        { matched: true },
      ],
      may_approve_own: false,
    });
  });

  it("[approve.policy] unlisted changes ask, trusted reads run, a denied tool does not", async () => {
    const [change, read, denied, unknown] = await Promise.all([
      explain("jira.update_issue", "--json"),
      explain("jira.list_projects", "--json"),
      explain("jira.delete_issue"),
      explain("jira.dance"),
    ]);
    expect(JSON.parse(change.stdout)).toMatchObject({ decision: { decision: "ask", rule: "default" } });
    expect(JSON.parse(read.stdout)).toMatchObject({
      decision: { decision: "allow", rule: "read-only tool of a trusted server" },
    });
    expect(denied.stdout).toContain("jira.delete_issue: deny, by rule 2 (jira.delete_*)");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain(
      'There is no tool jira.dance. "countersign tools" lists them all. [unknown_tool]',
    );
  });
});

/** The audit commands on a store, and its head as it is now. */
async function auditOf(
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ audit: (...words: string[]) => Promise<Ran>; head: string }> {
  const audit = (...words: string[]): Promise<Ran> => countersign(["audit", ...words, ...args], env);
  const head = (await audit("head")).stdout.trim();
  return { audit, head };
}

describe("audit", () => {
  it("[audit.verify] [audit.chain] verifies, exports and anchors, running or stopped", async () => {
    const product = await startProduct({ config: jiraOnly({ policy }) });
    const { pending, turnId } = await askFor(product, "create an issue in DEMO titled 'Audited'", {
      actor: "ana",
    });
    const approve = ["approvals", "approve", pending.approval_id, "--as", "ben", "--url", product.url];
    expect((await spawnCountersign(approve)).code).toBe(0);
    await follow(product, turnId);
    const env = { COUNTERSIGN_DATA: product.dataDir };
    const { audit, head } = await auditOf(env);
    expect(head).toMatch(/^\d+:[0-9a-f]{64}$/);
    const [whole, anchored] = await Promise.all([audit("verify"), audit("verify", "--head", head)]);
    expect(whole).toMatchObject({
      code: 0,
      stdout: `The chain is whole: ${head.split(":")[0]} entries, head ${head}\n`,
    });
    expect(anchored.code).toBe(0);

    await product.stop();
    const [verified, exported, headJson] = await Promise.all([
      audit("verify", "--head", head, "--json"),
      audit("export"),
      audit("head", "--json"),
    ]);
    expect(verified.code).toBe(0);
    const verdict = JSON.parse(verified.stdout) as { ok: boolean; entries: number; head: { seq: number } };
    expect(verdict).toMatchObject({ ok: true, head: JSON.parse(headJson.stdout) as object });

    const lines = exported.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(verdict.entries);
    const entries = lines.map((line) => JSON.parse(line) as Row<"audit"> & { data: unknown });
    for (const [index, entry] of entries.entries()) {
      expect(entry.seq).toBe(index + 1);
      // Whoever has the lines can verify the chain without the product.
      expect(hashAuditRow({ ...entry, data: canonicalJson(entry.data) })).toBe(entry.hash);
    }
    const kinds = entries.filter((entry) => entry.turn_id === turnId).map((entry) => entry.kind);
    for (const kind of [
      "turn.accepted",
      "plan.decided",
      "approval.pending",
      "approval.vote",
      "approval.approved",
      "approval.executing",
      "approval.done",
      "turn.done",
    ]) {
      expect(kinds).toContain(kind);
    }
  });

  it("[audit.verify] names what was tampered with, while the product runs and when it is stopped", async () => {
    const product = await startProduct({ config: jiraOnly({ policy }) });
    await askFor(product, "create an issue in DEMO titled 'Tampered'", { actor: "ana" });
    const env = { COUNTERSIGN_DATA: product.dataDir };
    const { audit, head } = await auditOf(env);
    const tamper = (statement: string): void => {
      const db = new DatabaseSync(join(product.dataDir, "countersign.db"), { timeout: 5_000 });
      db.exec(statement);
      db.close();
    };

    tamper("update audit set data = replace(data, 'Tampered', 'Harmless') where seq = 2");
    const running = await audit("verify");
    expect(running.code).toBe(1);
    expect(running.stdout).toBe(
      "The chain is broken at entry 2: entry 2 was changed: its hash does not fit. 1 entries before it are whole.\n",
    );
    await product.kill();
    const killed = await audit("verify", "--json");
    expect(killed.code).toBe(1);
    expect(JSON.parse(killed.stdout)).toMatchObject({ ok: false, entries: 1, broken: { seq: 2 } });

    tamper("update audit set data = replace(data, 'Harmless', 'Tampered') where seq = 2");
    expect((await audit("verify", "--head", head)).code).toBe(0);
    tamper("delete from audit where seq > 3");
    expect((await audit("verify")).code).toBe(0);
    const cut = await audit("verify", "--head", head);
    expect(cut.code).toBe(1);
    expect(cut.stdout).toContain(`the chain ends at entry 3, before the recorded head ${head.split(":")[0]}`);

    // What is left can still be taken out, also where it is no JSON any more.
    tamper("update audit set data = 'scribble' where seq = 2");
    const exported = await audit("export");
    expect(exported.code).toBe(0);
    expect(
      exported.stdout
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { seq: number }).seq),
    ).toEqual([1, 2, 3]);
  });

  it("[audit.verify] [ops.scale] [ops.forget] [ops.keys] reads the chain of a Postgres, and does not make one where there is none", async () => {
    const server = await joinPostgres();
    cleanUp(() => server.stop());
    const [used, empty] = [await server.createDatabase(), await server.createDatabase()];
    const secret = { COUNTERSIGN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
    const shared = join(await temporaryFolder(), "shared.json");
    await writeFile(shared, JSON.stringify({ ...jiraOnly({ policy }), store: { url: "${DATABASE_URL}" } }));
    const product = await startProduct({
      config: { ...jiraOnly({ policy }), store: { url: "${DATABASE_URL}" } },
      env: { ...secret, DATABASE_URL: used },
    });
    const { pending } = await askFor(product, "create an issue in DEMO titled 'On Postgres'", {
      actor: "ana",
    });
    const { audit, head } = await auditOf({ ...secret, DATABASE_URL: used }, ["--config", shared]);
    expect((await audit("verify", "--head", head)).stdout).toContain("The chain is whole");
    expect((await audit("export")).stdout.trimEnd().split("\n")).toHaveLength(Number(head.split(":")[0]));

    // While it runs.
    const beside = (args: string[], env: Record<string, string> = {}) =>
      countersign([...args, "--config", shared], { ...secret, DATABASE_URL: used, ...env });
    expect((await beside(["backup"])).stderr).toContain("pg_dump");
    const [newer, older] = [Buffer.alloc(32, 8).toString("base64"), secret.COUNTERSIGN_SECRET_KEY];
    expect((await beside(["keys", "rotate"])).code).toBe(2);
    const keys = { COUNTERSIGN_SECRET_KEY: newer, COUNTERSIGN_SECRET_KEY_OLD: older };
    expect((await beside(["keys", "rotate"], keys)).stdout).toContain("Start every replica with it");
    expect((await beside(["people", "forget", "ana", "--yes"])).stderr).toContain(pending.approval_id);
    await decide(product, pending.approval_id, "deny", { actor: "ben" });
    await expect
      .poll(async () => (await beside(["people", "forget", "ana", "--yes"])).stdout)
      .toContain("Forgot ana: 1 turn with all that belongs to them");
    await askFor(product, "create an issue in DEMO titled 'Afterwards'", { actor: "ben" });
    expect((await audit("verify", "--head", head)).stdout).toContain("The chain is whole");
    expect((await audit("export")).stdout).not.toContain("On Postgres");
    await product.stop();

    const nothing = await auditOf({ ...secret, DATABASE_URL: empty }, ["--config", shared]);
    // The commands before this one made no tables either.
    const ran = await nothing.audit("verify");
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("[store_failed]");
  });
});
