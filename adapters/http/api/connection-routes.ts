import type { Hono } from "hono";
import { html } from "hono/html";

import type { Connections } from "#contract/connections.ts";

import type { HttpEnv } from "../env.ts";
import { ApiError, toApiError } from "../errors.ts";
import { actorOf } from "../identity.ts";
import { actorBody } from "./bodies.ts";
import { readBody } from "./read-body.ts";

/** Where authorisation servers send browsers back to, and the accounts that people have connected. */
export function addConnectionRoutes(app: Hono<HttpEnv>, connections: Connections): void {
  app.get("/connections", async (c) => {
    const actor = actorOf(c.get("identity"), c.req.query("actor"));
    return c.json({ connections: (await connections.list(actor)).map(toWire) });
  });

  app.delete("/connections/:server", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const gone = await connections.disconnect(c.req.param("server"), actor, c.req.query("whose"));
    return c.json(toWire(gone));
  });

  app.get("/oauth/client.json", (c) => c.json(connections.clientDocument()));

  // A link of a chat may be followed by somebody else in it: the page says whose account it would
  // become, and only the button on it ends the authorisation.
  app.get("/oauth/callback", async (c) => {
    const params = new URL(c.req.url).searchParams;
    try {
      const { server, actor } = await connections.look(params.get("state") ?? "");
      const fields = [...params].map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      );
      return c.html(
        page(
          `Connect ${server}`,
          html`<p>
              Your account with <strong>${server}</strong> will be used for what
              <strong>${actor}</strong> asks Countersign to do. If that is not you, close this page.
            </p>
            <form method="post" action="/oauth/callback">${fields}<button>Connect</button></form>`,
        ),
      );
    } catch (error) {
      return c.html(failure(error), 400);
    }
  });

  app.post("/oauth/callback", async (c) => {
    try {
      const { server, actor } = await connections.finish(new URLSearchParams(await c.req.text()));
      const text = html`<p>
        ${server} is connected for ${actor}. You can close this page; the chat goes on by itself.
      </p>`;
      return c.html(page("Connected", text));
    } catch (error) {
      return c.html(failure(error), 400);
    }
  });
}

function toWire({ server, whose, per, since }: Awaited<ReturnType<Connections["disconnect"]>>): object {
  return { server, whose, per, since: new Date(since).toISOString() };
}

function failure(error: unknown): ReturnType<typeof page> {
  const known = error instanceof ApiError ? error : toApiError(error);
  return page("Not connected", html`<p>${known.message}</p>`);
}

function page(title: string, body: ReturnType<typeof html>): ReturnType<typeof html> {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} · Countersign</title>
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`;
}
