import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { startAuthorisedServer } from "#test/fakes/auth-server.ts";

import { connectAt } from "./oauth-browser.ts";
import { cleanUp, projectRoot, temporaryFolder } from "./support.ts";

it("[mcp.oauth] an account is connected and disconnected in the terminal", async () => {
  const notes = await startAuthorisedServer(3_600);
  cleanUp(() => notes.stop());
  const file = join(await temporaryFolder(), "countersign.json");
  const servers = [{ name: "notes", url: notes.url, oauth: {} }];
  await writeFile(file, JSON.stringify({ model: { provider: "builtin" }, servers }));
  const chat = spawn(process.execPath, ["countersign.js", "chat", "--config", file], {
    cwd: projectRoot,
    env: { ...process.env, COUNTERSIGN_DATA: await temporaryFolder() },
    stdio: ["pipe", "pipe", "inherit"],
  });
  cleanUp(async () => void chat.kill("SIGKILL"));
  let text = "";
  let changed = (): void => {};
  chat.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
    changed();
  });
  const see = async (what: RegExp): Promise<string> => {
    for (;;) {
      const [found] = what.exec(text) ?? [];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (changed = resolve));
    }
  };

  chat.stdin.write("/accounts connect notes\n");
  const link = await see(/http:\/\/127\.0\.0\.1:\d+\/auth\?\S+/);
  const back = new URL(link).searchParams.get("redirect_uri") ?? "";
  await connectAt({ url: new URL(back).origin }, link, "console-account");
  chat.stdin.write("/accounts\n");
  await see(/your own account, connected on/);
  // Nothing else is served there.
  const other = await fetch(new URL("/health", back));
  expect(other.status).toBe(404);
  const [token = ""] = notes.tokens.keys();
  chat.stdin.write("/accounts disconnect notes\n");
  await see(/Disconnected: the account with notes/);
  if (token !== "") expect(await notes.isGood(token)).toBe(false);
  chat.stdin.end();
  const [code] = (await once(chat, "close")) as [number | null];
  expect(code).toBe(0);
});
