import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, afterAll, describe, expect, it } from "vitest";

import { cleanUpAll, projectRoot, temporaryFolder } from "./support.ts";

let file: string;

beforeAll(async () => {
  file = join(await temporaryFolder(), "countersign.json");
  const servers = [
    { name: "fault", command: ["node", "test/fakes/mcp-fault.ts"] },
    { name: "gone", url: "http://127.0.0.1:9/mcp?key=secret-key" },
  ];
  const rules = [
    { tools: ["fault.echo", "fault.fail", "fault.slow", "fault.image"], decision: "allow" },
    { tools: ["fault.die"], decision: "deny" },
    { tools: ["fault.hang"], decision: "ask", approvers: ["channel"], exclude_requester: true },
  ];
  await writeFile(file, JSON.stringify({ model: { provider: "builtin" }, servers, policy: { rules } }));
});

afterAll(cleanUpAll);

async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ["countersign.js", ...args, "--config", file], {
    cwd: projectRoot,
    env: { ...process.env, COUNTERSIGN_DATA: await temporaryFolder() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

describe("countersign servers and tools", () => {
  it("say what answers and what does not, and never a key", async () => {
    const { code, stdout } = await run("servers", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "fault", status: "up", reached: "launches node" },
      {
        name: "gone",
        status: "retrying",
        reached: "http http://127.0.0.1:9/mcp",
        error: expect.stringContaining("could not be reached"),
      },
    ]);
    expect(stdout).not.toContain("secret-key");

    const listed = await run("tools");
    expect(listed.stdout).toMatch(/^fault\.echo +allow +Does echo\.$/m);
    expect(listed.stdout).toMatch(/^fault\.hang +ask /m);
    expect(listed.stdout).toMatch(/^fault\.die +deny /m);
    expect(listed.stderr).toContain("gone is down");
  });
});

describe("countersign call", () => {
  it("calls what policy allows, and says how it failed", async () => {
    const good = await run("call", "fault.echo", "--args", '{"a": 1}');
    expect(good).toMatchObject({ code: 0, stdout: '{\n  "a": 1\n}\n' });
    const bad = await run("call", "fault.fail", "--json");
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      ok: false,
      error: { code: "tool_error", message: "the printer is on fire" },
    });
    const slow = await run("call", "fault.slow", "--args", '{"steps": 2}');
    expect(slow.stderr).toContain("step 1 1/2");
  });

  it("asks the operator to countersign what policy asks for, and refuses what it denies", async () => {
    const asked = await run("call", "fault.pid");
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain("[needs_approval]");
    expect((await run("call", "fault.pid", "--yes")).code).toBe(0);
    const others = await run("call", "fault.hang", "--yes");
    expect(others.stderr).toContain("other people's approval");
    const denied = await run("call", "fault.die", "--yes");
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining("[denied_by_policy]") });
  });

  it("tells wrong use from failure", async () => {
    expect((await run("call", "fault.echo", "--args", "{")).code).toBe(2);
    const unknown = await run("call", "fault.nothing");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("Not reachable: gone") });
  });
});
