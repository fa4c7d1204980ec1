import { userInfo } from "node:os";
import { join } from "node:path";

import { startConsole } from "#adapters/console/chat.ts";
import { startCallback } from "#adapters/http/start.ts";
import { messageOf } from "#src/base/errors.ts";
import { createAccountActions } from "#src/present/account-actions.ts";
import { createMeActions } from "#src/present/me-actions.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms/forms.ts";

import type { CommandCall } from "../command-line.ts";
import { complain } from "../output.ts";
import { createProduct } from "../product.ts";
import { readSettings } from "../settings.ts";

/** A conversation in this terminal; its log goes to a file in the data folder. */
export async function chat({ options }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const product = await createProduct(settings, {
    log: { kind: "file", path: join(settings.data_dir, "chat.log") },
    env: process.env,
  });
  const name = userName();
  const cards = createCards(() => settings.people.list);
  const wantsAccounts = settings.servers.some(
    ({ oauth, credentials }) => oauth !== undefined || Object.keys(credentials).length > 0,
  );
  const { host, port, tokens, public_url: publicUrl } = settings.http;
  // Beside a shared database a replica serves the public address; else there is nobody but this process.
  const at =
    publicUrl === ""
      ? { host: "127.0.0.1", port: 0, tokens }
      : settings.store.url === ""
        ? { host, port, tokens }
        : undefined;
  let callback: Awaited<ReturnType<typeof startCallback>> | undefined;
  try {
    if (wantsAccounts && at !== undefined)
      callback = await startCallback(product.connections, product.state("http-session"), at).catch(
        withoutAccounts,
      );
    if (callback !== undefined && publicUrl === "") product.reachedAt(callback.url);
    await product.ready();
    const accounts = createAccountActions({ connections: product.connections, cards });
    await startConsole(
      product.core,
      { cards, forms: createForms(), accounts, me: createMeActions({ people: product.people, cards }) },
      {
        actor: `console:${name}`,
        conversationId: `console:${name}`,
        input: process.stdin,
        output: process.stdout,
        historyFile: join(settings.data_dir, "chat-history"),
        version: product.version,
        color: wantsColor(),
      },
    );
  } finally {
    await callback?.stop();
    await product.close();
  }
  return 0;
}

/** A port that is taken keeps nobody from the conversation. */
function withoutAccounts(error: unknown): undefined {
  complain(`No account can be connected from here. ${messageOf(error)}`);
}

/** The login name, in the characters an actor id may have. */
function userName(): string {
  try {
    return userInfo().username.replaceAll(/[^A-Za-z0-9._@-]/g, "_") || "local";
  } catch {
    return "local";
  }
}

/** https://no-color.org and FORCE_COLOR, else whether this is a terminal. */
function wantsColor(): boolean {
  if ((process.env.NO_COLOR ?? "") !== "") return false;
  const forced = process.env.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return process.stdout.isTTY;
}
