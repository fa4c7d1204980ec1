import type { Context, Hono } from "hono";
import * as z from "zod";

import type { JsonObject } from "#contract/json.ts";
import type { KnownAccount, People, PersonAccount } from "#contract/people.ts";

import { ApiError } from "../errors.ts";
import { type HttpEnv, offerOf, viewerOf } from "../identity.ts";
import { actorBody, actorField, readBody } from "./bodies.ts";
import { pick } from "./wire.ts";

const accountBody = z.strictObject({ account: z.string().trim().min(1).max(120), actor: actorField });

/** Who the caller is in the servers: reading, searching, saying and forgetting it. */
export function addPeopleRoutes(app: Hono<HttpEnv>): void {
  app.get("/people/me", async (c) => {
    const { servers, ...person } = await peopleOf(c).me(viewerOf(c));
    return c.json({
      ...pick(person, "actor", "name", "email", "also"),
      servers: servers.map(({ account, ...server }) => ({
        ...pick(server, "server", "title", "canSearch"),
        account: account === undefined ? null : toWire(account),
      })),
    });
  });

  app.get("/people/me/accounts/:server", async (c) => {
    const text = c.req.query("query") ?? "";
    const found = await peopleOf(c).search(c.req.param("server"), text, viewerOf(c));
    return c.json({ people: found.map(toWire) });
  });

  app.put("/people/me/accounts/:server", async (c) => {
    const { actor, account } = await readBody(c, accountBody);
    return c.json(toWire(await peopleOf(c).set(actor, c.req.param("server"), account)));
  });

  app.delete("/people/me/accounts/:server", async (c) => {
    const { actor } = await readBody(c, actorBody);
    await peopleOf(c).forget(actor, c.req.param("server"));
    return c.json({ forgotten: true });
  });
}

function toWire(account: PersonAccount | KnownAccount): JsonObject {
  return pick(account as KnownAccount, "server", "id", "name", "email", "origin");
}

function peopleOf(c: Context<HttpEnv>): People {
  const { people } = offerOf(c);
  if (people === undefined) throw new ApiError(404, "not_found", "No server names people");
  return people;
}
