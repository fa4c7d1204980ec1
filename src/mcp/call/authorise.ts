import type { ActorId } from "#contract/actor.ts";
import type { CallOutcome, CallRequest } from "#contract/tool.ts";

import { CountersignError, messageOf } from "../../base/errors.ts";
import { en } from "../../base/words/en.ts";
import type { PartyProvider } from "../auth/oauth-provider.ts";
import type { AccountChange, OAuth } from "../auth/oauth.ts";
import type { McpServerConfig } from "../config.ts";
import { whyRefused } from "../connect/questions.ts";
import { commonChannel } from "../connect/sessions.ts";
import type { ConnectionAuth } from "../connect/transports.ts";
import { createMask, maskOutcome } from "./masking.ts";

/** The person or channel that the server is called for; undefined where it knows the product alone. */
export function identityOf(
  { oauth, person_headers = {} }: McpServerConfig,
  { actor, channel }: Pick<CallRequest, "actor" | "channel">,
): string | undefined {
  if (oauth?.per === "channel") return channel;
  if (actor !== undefined && (oauth !== undefined || Object.hasOwn(person_headers, actor))) return actor;
  return undefined;
}

/** Names a session of a channel and, where the server tells them apart, of a person in it. */
export function sessionKey(channel: string, identity: string | undefined): string {
  return identity === undefined ? channel : `${channel}\n${identity}`;
}

export function identityIn(key: string): string | undefined {
  const at = key.indexOf("\n");
  return at === -1 ? undefined : key.slice(at + 1);
}

/**
 * Whether a channel's session was, or may have been, begun with an account that has changed. A server may
 * know whose a session is from its beginning: no other account's calls go over it.
 */
export function isOfChangedAccount({ identity, what }: AccountChange): (key: string) => boolean {
  if (what === "wider") return () => false;
  // Any account may have been used to read the list of tools.
  return (key) => identityIn(key) === identity || (what === "disconnected" && key === commonChannel);
}

/**
 * What a connection for one party is opened with; `headers` are made of the turn's credentials. Rejects with
 * code `not_connected` where there is no account to open it with.
 */
export async function authFor(
  { person_headers = {} }: McpServerConfig,
  authorised: AuthorisedCalls | undefined,
  identity: string | undefined,
  headers?: Record<string, string>,
): Promise<ConnectionAuth> {
  const personal = identity === undefined ? undefined : person_headers[identity];
  const provider = await authorised?.provider(identity);
  if (authorised !== undefined && provider === undefined)
    throw new CountersignError("not_connected", await authorised.waitsFor());
  return { headers: { ...personal, ...headers }, provider };
}

/** An authorisation may have to be widened once it is there. */
const mostRounds = 3;

/** Calls to a server that people, or channels, are authorised with. */
export class AuthorisedCalls {
  readonly #config: McpServerConfig;
  readonly #oauth: OAuth;
  readonly #questionMs: number;
  /** What a refused request wants to have opened, by whose it is. */
  readonly #links = new Map<string, { link: URL; at: number }>();
  #refusals = 0;
  readonly #askers = new Map<string, ActorId>();
  /** Several calls of one party that are refused at once ask once. */
  readonly #asking = new Map<string, Promise<CallOutcome | undefined>>();

  /** `questionMs`: how long a person may take to connect an account. */
  constructor(config: McpServerConfig, oauth: OAuth, questionMs: number) {
    this.#config = config;
    this.#oauth = oauth;
    this.#questionMs = questionMs;
  }

  /** For the connections of one party; where it is undefined, of any that has an account. */
  async provider(identity: string | undefined): Promise<PartyProvider | undefined> {
    const { name } = this.#config;
    // Not of those whose authorisation was refused since they have it.
    const whose = identity ?? (await this.#oauth.anybody(name, this.#links))?.identity;
    if (whose === undefined) return undefined;
    const owner = this.#askers.get(whose) ?? (await this.#oauth.grant(name, whose))?.actor;
    if (owner === undefined) return undefined;
    // A channel's connection outlives the call it was opened for: a link is for who calls when it is made.
    const actor = (): ActorId => this.#askers.get(whose) ?? owner;
    return this.#oauth.provider(name, whose, actor, (link) => {
      this.#refusals += 1;
      this.#links.set(whose, { link, at: Date.now() });
    });
  }

  /** What is waited for where there is no account to use. */
  async waitsFor(): Promise<string> {
    return (await this.#oauth.anybody(this.#config.name, new Map())) === undefined
      ? "waiting for a first account"
      : "waiting for an account: those that are connected are refused";
  }

  /** Makes what needs anybody's account, with the next where one is refused. */
  async withAnybody<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const before = this.#refusals;
      try {
        return await work();
      } catch (error) {
        if (this.#refusals === before) throw error;
      }
    }
  }

  /**
   * Makes a call; where the server wants an authorisation the person is given the link, and the call is
   * made when they have an account. Never rejects.
   */
  async call(request: CallRequest, make: () => Promise<CallOutcome>): Promise<CallOutcome> {
    const { name } = this.#config;
    const identity = identityOf(this.#config, request);
    const { actor } = request;
    if (identity === undefined || actor === undefined) return refused(`${name} is called for people only.`);
    this.#askers.set(identity, actor);
    try {
      for (let round = 1; ; round += 1) {
        const begun = Date.now();
        const outcome = await make();
        if (outcome.ok || round === mostRounds) return await this.#masked(identity, outcome);
        const found = this.#links.get(identity);
        // A link from before this call says nothing about it.
        if (found !== undefined && found.at >= begun) {
          const ended = await this.#askOnce(identity, request, found.link);
          if (ended !== undefined) return ended;
        } else if (((await this.#oauth.grant(name, identity))?.savedAt ?? 0) < begun)
          return await this.#masked(identity, outcome);
      }
    } catch (error) {
      return refused(`${name} could not be asked for an authorisation: ${messageOf(error)}`);
    }
  }

  #askOnce(identity: string, request: CallRequest, link: URL): Promise<CallOutcome | undefined> {
    const known = this.#asking.get(identity);
    if (known !== undefined) return known;
    const begun = this.#ask(identity, request, link).finally(() => {
      this.#asking.delete(identity);
      this.#links.delete(identity);
    });
    this.#asking.set(identity, begun);
    return begun;
  }

  /** Resolves to undefined when there is an account now. */
  async #ask(
    identity: string,
    { tool, signal, ask }: CallRequest,
    link: URL,
  ): Promise<CallOutcome | undefined> {
    const { name } = this.#config;
    if (ask === undefined)
      return refused(`${name} needs an account of yours, and nobody can sign in here. Ask in the chat.`);
    const body = {
      kind: "link" as const,
      message: en.recorded.askToSignIn(name),
      url: link.href,
      domain: link.host,
    };
    const refusal = whyRefused(body);
    const ttlMs = this.#questionMs;
    const since = Date.now();
    const settled = new AbortController();
    const until = AbortSignal.any([signal, settled.signal]);
    const inTime = AbortSignal.any([until, AbortSignal.timeout(ttlMs)]);
    const connected = this.#oauth.connected(name, identity, since, inTime);
    const asked = ask({ ...body, toolId: tool.id, ttlMs, ...(refusal !== undefined && { refusal }) }, until);
    try {
      // Who says that they opened it has not come back from there yet.
      const said = asked.then((reply) =>
        reply.action === "accept" ? connected : Promise.reject(new Error("declined")),
      );
      await Promise.race([connected, said]);
      return undefined;
    } catch {
      const message = en.recorded.nobodySignedIn(tool.id, name);
      return refused(message, signal.aborted ? "cancelled" : "refused");
    } finally {
      settled.abort("accepted elsewhere");
      await Promise.allSettled([connected, asked]);
    }
  }

  async #masked(identity: string, outcome: CallOutcome): Promise<CallOutcome> {
    const tokens = (await this.#oauth.grant(this.#config.name, identity))?.tokens;
    const secrets = [tokens?.access_token, tokens?.refresh_token].filter((token) => token !== undefined);
    return secrets.length === 0 ? outcome : maskOutcome(outcome, createMask(secrets));
  }
}

function refused(message: string, code: "refused" | "cancelled" = "refused"): CallOutcome {
  return { ok: false, data: null, error: { code, sent: "no", message } };
}
