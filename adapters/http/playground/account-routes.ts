import type { Context, Hono } from "hono";
import * as z from "zod";

import type { AccountsDesk } from "#contract/accounts.ts";
import type { AccountAsker } from "#contract/connections.ts";

import { readBody } from "../api/read-body.ts";
import { conversationOf } from "../api/wire.ts";
import { type HttpEnv, offerOf } from "../env.ts";
import { ApiError } from "../errors.ts";
import { actorOf } from "../identity.ts";
import { accountsBlock, accountSaid } from "./accounts.ts";

/** `POST /playground/accounts` */
interface DeedBody {
  deed: "connect" | "disconnect";
  value: string;
  session_id: string;
  actor?: string | undefined;
}

const deedBody: z.ZodType<DeedBody> = z.strictObject({
  deed: z.enum(["connect", "disconnect"]),
  value: z.string().min(1).max(500),
  session_id: z.string().min(1).max(128),
  actor: z.string().min(1).max(80).optional(),
});

/** Accounts that servers work with, for who looks, and what came of a press. */
export function addAccountFragments(app: Hono<HttpEnv>): void {
  app.get("/playground/accounts", async (c) => {
    const list = await deskOf(c).list(askerOf(c, c.req.query("c") ?? "", c.req.query("actor")));
    c.header("cache-control", "no-store");
    return c.html(accountsBlock(list));
  });

  app.post("/playground/accounts", async (c) => {
    const { deed, value, session_id, actor } = await readBody(c, deedBody);
    const asker = askerOf(c, session_id, actor);
    c.header("cache-control", "no-store");
    if (deed === "disconnect") return c.html(accountSaid(await deskOf(c).disconnect(value, asker.actor)));
    const answer = await deskOf(c).connect(value, asker);
    return c.html(accountSaid(answer.words, answer.ok ? answer.link : undefined));
  });
}

function deskOf(c: Context<HttpEnv>): AccountsDesk {
  const { accounts } = offerOf(c);
  if (accounts === undefined) throw new ApiError(404, "not_found", "No server wants an account");
  return accounts;
}

function askerOf(c: Context<HttpEnv>, session: string, named: string | undefined): AccountAsker {
  return { actor: actorOf(c.get("identity"), named), channel: conversationOf(session) };
}
