import type { ActorId } from "#contract/actor.ts";
import type { CallOutcome, CallRequest, Tool } from "#contract/tool.ts";

import { CountersignError, messageOf } from "../../base/errors.ts";
import type { PartyProvider } from "../auth/oauth-provider.ts";
import type { AccountChange, OAuth } from "../auth/oauth.ts";
import { toolDigest } from "../catalogue/catalogue.ts";
import type { McpServerConfig } from "../config.ts";
import { whyRefused } from "../connect/questions.ts";
import { type ConnectionAuth, type FilledIn, headersFor, identityOf } from "./credentials.ts";
import { createMask, maskOutcome } from "./masking.ts";

/** Calls to a server that people, or channels, are authorised with. */
export interface AuthorisedCalls {
  /** For the connections of one party; of somebody's who has an account where it is undefined. */
  provider(identity: string | undefined): Promise<PartyProvider | undefined>;
  /** What is waited for where there is nobody's account to use. */
  waitsFor(): Promise<string>;
  /** Makes what needs anybody's account, with the next where one is refused. */
  withAnybody<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Makes a call; where the server wants an authorisation the person is given the link, and the call is
   * made when they have an account. Never rejects.
   */
  call(request: CallRequest, make: () => Promise<CallOutcome>): Promise<CallOutcome>;
}

/** An authorisation may have to be widened once it is there. */
const mostRounds = 3;

export function createAuthorisedCalls(
  config: McpServerConfig,
  oauth: OAuth,
  /** `onChange`: an account was connected or disconnected; whoever did that waits for it. */
  { questionMs, onChange }: { questionMs: number; onChange: (change: AccountChange) => Promise<void> },
): AuthorisedCalls {
  const { name } = config;
  // Its first account tells of its tools; without the last one it waits for another.
  oauth.onChange(async (change) => {
    if (change.server === name) await onChange(change);
  });
  /** What a refused request wants to have opened, by whose it is. */
  const links = new Map<string, { link: URL; at: number }>();
  let refusals = 0;
  const askers = new Map<string, ActorId>();
  /** Several calls of one party that are refused at once ask once. */
  const asking = new Map<string, Promise<CallOutcome | undefined>>();

  function refused(message: string): CallOutcome {
    return { ok: false, data: null, error: { code: "refused", sent: "no", message } };
  }

  /** Undefined when there is an account now. */
  async function ask(identity: string, request: CallRequest, link: URL): Promise<CallOutcome | undefined> {
    const { tool, signal } = request;
    if (request.ask === undefined) {
      return refused(`${name} wants an authorisation, and there is nobody to ask here. Ask in the chat.`);
    }
    const body = {
      kind: "link" as const,
      message: `${name} wants to know you: open the page, sign in there and allow it. The call goes on by itself.`,
      url: link.href,
      domain: link.host,
    };
    const refusal = whyRefused(body);
    const since = Date.now();
    const settled = new AbortController();
    const until = AbortSignal.any([signal, settled.signal]);
    const connected = oauth.connected(
      name,
      identity,
      since,
      AbortSignal.any([until, AbortSignal.timeout(questionMs)]),
    );
    const asked = request.ask(
      { ...body, toolId: tool.id, ttlMs: questionMs, ...(refusal === undefined ? {} : { refusal }) },
      until,
    );
    try {
      // Whoever says that they opened it has not come back from there yet.
      const said = asked.then((reply) =>
        reply.action === "accept" ? connected : Promise.reject(new Error("declined")),
      );
      await Promise.race([connected, said]);
      return undefined;
    } catch {
      const message = `${tool.id} was not called: no account was connected with ${name}.`;
      return signal.aborted
        ? { ok: false, data: null, error: { code: "cancelled", sent: "no", message } }
        : refused(message);
    } finally {
      settled.abort("accepted elsewhere");
      await Promise.allSettled([connected, asked]);
    }
  }

  function askOnce(identity: string, request: CallRequest, link: URL): Promise<CallOutcome | undefined> {
    const known = asking.get(identity);
    if (known !== undefined) return known;
    const begun = ask(identity, request, link).finally(() => {
      asking.delete(identity);
      links.delete(identity);
    });
    asking.set(identity, begun);
    return begun;
  }

  async function masked(identity: string, outcome: CallOutcome): Promise<CallOutcome> {
    const tokens = (await oauth.grant(name, identity))?.tokens;
    const secrets = [tokens?.access_token, tokens?.refresh_token].filter((token) => token !== undefined);
    return secrets.length === 0 ? outcome : maskOutcome(outcome, createMask(secrets));
  }

  async function make(
    identity: string,
    request: CallRequest,
    call: () => Promise<CallOutcome>,
  ): Promise<CallOutcome> {
    for (let round = 1; ; round += 1) {
      const begun = Date.now();
      const outcome = await call();
      if (outcome.ok || round === mostRounds) return masked(identity, outcome);
      const found = links.get(identity);
      // One from before this call says nothing about it.
      if (found !== undefined && found.at >= begun) {
        const ended = await askOnce(identity, request, found.link);
        if (ended !== undefined) return ended;
      } else if (((await oauth.grant(name, identity))?.savedAt ?? 0) < begun)
        return masked(identity, outcome);
    }
  }

  return {
    async provider(identity) {
      // Not of those whose authorisation was refused since they have it.
      const whose = identity ?? (await oauth.anybody(name, links))?.identity;
      if (whose === undefined) return undefined;
      const owner = askers.get(whose) ?? (await oauth.grant(name, whose))?.actor;
      if (owner === undefined) return undefined;
      // A channel's connection outlives the call it was opened for: a link is for who calls when it is made.
      const actor = (): ActorId => askers.get(whose) ?? owner;
      return oauth.provider(name, whose, actor, (link) => {
        refusals += 1;
        links.set(whose, { link, at: Date.now() });
      });
    },
    async waitsFor() {
      return (await oauth.anybody(name, new Map())) === undefined
        ? "waiting for a first account"
        : "waiting for an account: those that are connected are refused";
    },
    async withAnybody(work) {
      for (;;) {
        const before = refusals;
        try {
          return await work();
        } catch (error) {
          if (refusals === before) throw error;
        }
      }
    },
    async call(request, call) {
      const identity = identityOf(config, request);
      const { actor } = request;
      if (identity === undefined || actor === undefined) return refused(`${name} is called for people only.`);
      askers.set(identity, actor);
      try {
        return await make(identity, request, call);
      } catch (error) {
        return refused(`${name} could not be asked for an authorisation: ${messageOf(error)}`);
      }
    },
  };
}

/** What a connection for one party is opened with. Rejects where there is no account to open it with. */
export async function authFor(
  config: McpServerConfig,
  authorised: AuthorisedCalls | undefined,
  identity: string | undefined,
  injected?: FilledIn,
): Promise<ConnectionAuth> {
  const provider = await authorised?.provider(identity);
  if (authorised !== undefined && provider === undefined)
    throw new CountersignError("not_connected", await authorised.waitsFor());
  return { ...headersFor(config, identity, injected), provider };
}

/** Offered while nobody has an account: without one the server does not even tell its tools. */
export function connectTool(server: string): Tool {
  const described = {
    name: "connect",
    description: `Connect your account with ${server}. Its own tools are known after that.`,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
  };
  return {
    id: `${server}.connect`,
    server,
    title: `Connect ${server}`,
    ...described,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    digest: toolDigest({ ...described, outputSchema: undefined }),
    trusted: true,
  };
}
