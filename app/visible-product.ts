import type { ActorId } from "#contract/actor.ts";
import type { Approval, DecideRequest, EditRequest } from "#contract/approval.ts";
import type { AccountAsker, Connections } from "#contract/connections.ts";
import type { Change } from "#contract/conversation.ts";
import type { Core, Health, SettleRequest, Viewer } from "#contract/core.ts";
import type { People } from "#contract/people.ts";
import type { Turn } from "#contract/turn.ts";
import { CountersignError } from "#src/base/errors.ts";
import { forOutsiders } from "#src/base/outsiders.ts";
import { siteIn } from "#src/turn/sites.ts";
import { type Access, actorsOf, othersConversation } from "#src/turn/access.ts";

import type { Accept } from "./core.ts";
import type { Product } from "./product-port.ts";

/** What a person is given of the product. */
export type VisibleProduct = Pick<Product, "core" | "connections" | "people" | "view">;

/**
 * The product as one person may see and use it. Every method is written out, so that one which is added to the
 * core has to say here whose it is. What belongs to others is answered as what does not exist.
 */
export function visibleTo(
  viewer: Viewer,
  product: VisibleProduct & { accept: Accept },
  access: Access,
): VisibleProduct {
  const { core, connections, people } = product;
  const takenPartBy = actorsOf(viewer);

  /** Surfaces name the person whom they made sure of. */
  function own(actor: ActorId): ActorId {
    if (actor === viewer.actor) return actor;
    throw new CountersignError("not_eligible", `expected to act as ${viewer.actor}, got ${actor}`);
  }

  const isTheirs = async (conversationId: string): Promise<boolean> =>
    (await access.conversation(viewer, conversationId)) === "theirs";

  async function turn(id: string): Promise<Turn | undefined> {
    const found = await core.turn(id);
    return found !== undefined && (await isTheirs(found.conversationId)) ? found : undefined;
  }

  async function requireTurn(id: string): Promise<void> {
    if ((await turn(id)) === undefined) throw nothing("turn", id);
  }

  async function approval(id: string): Promise<Approval | undefined> {
    const found = await core.approval(id);
    return found !== undefined && (await access.approval(viewer, found)) ? asTheySee(found) : undefined;
  }

  async function asTheySee(found: Approval): Promise<Approval> {
    return (await isTheirs(found.conversationId)) ? found : forOutsiders(found);
  }

  async function requireApproval(id: string, actor: ActorId): Promise<void> {
    own(actor);
    if ((await approval(id)) === undefined) throw nothing("approval", id);
  }

  async function requireChannel(channel: string): Promise<void> {
    if ((await access.channel(viewer, channel)) === "others") throw nothing("channel", channel);
  }

  async function requireConversation(id: string): Promise<void> {
    if (!(await isTheirs(id))) throw nothing("conversation", id);
  }

  /** What is deleted is nobody's any more: it is told to those whose it was. */
  async function isSeen({ kind, conversationId, approvalId, people = [] }: Change): Promise<boolean> {
    if (kind === "deleted") return takenPartBy.some((actor) => people.includes(actor));
    if (await isTheirs(conversationId)) return true;
    return approvalId !== undefined && (await approval(approvalId)) !== undefined;
  }

  const requireRequest = (request: { approvalId: string; actor: ActorId }): Promise<void> =>
    requireApproval(request.approvalId, request.actor);

  async function mine(approvals: Approval[]): Promise<Approval[]> {
    const may = await Promise.all(approvals.map((one) => access.approval(viewer, one)));
    return Promise.all(approvals.filter((_, index) => may[index] === true).map(asTheySee));
  }

  const seen: Core = {
    async submit(request) {
      own(request.actor);
      const { conversationId } = request;
      const whose = await access.conversation(viewer, conversationId);
      if (whose === "others") throw othersConversation(conversationId);
      if (whose === "theirs") return core.submit(request);
      return product.accept(request, (tx, id) => access.claim(tx, viewer, { id, conversationId }));
    },
    async *events(turnId, options) {
      await requireTurn(turnId);
      yield* core.events(turnId, options);
    },
    eventsSoFar: after(requireTurn, (turnId) => core.eventsSoFar(turnId)),
    turn,
    record: after(requireTurn, (turnId) => core.record(turnId)),
    conversation: async (id) => ((await isTheirs(id)) ? core.conversation(id) : []),
    async turnPage(id, place, limit) {
      await requireConversation(id);
      return core.turnPage(id, place, limit);
    },
    conversations: (filter) => core.conversations({ ...filter, takenPartBy }),
    async renameConversation(request) {
      own(request.actor);
      await requireConversation(request.conversationId);
      return core.renameConversation(request);
    },
    async deleteConversation(request) {
      own(request.actor);
      await requireConversation(request.conversationId);
      return core.deleteConversation(request);
    },
    lastChange: () => core.lastChange(),
    async *changes(options) {
      for await (const batch of core.changes(options)) {
        const may = await Promise.all(batch.changes.map(isSeen));
        const changes = batch.changes.filter((_, index) => may[index] === true);
        if (changes.length > 0 || !batch.isComplete || batch.isHealthNew) yield { ...batch, changes };
      }
    },
    async stop(turnId, actor) {
      own(actor);
      await requireTurn(turnId);
      return core.stop(turnId, actor);
    },
    async rate(rating) {
      own(rating.actor);
      await requireTurn(rating.turnId);
      return core.rate(rating);
    },
    async ratings(filter) {
      own(filter.actor);
      return (await access.conversation(viewer, filter.conversationId)) === "theirs"
        ? core.ratings(filter)
        : [];
    },
    tools: () => core.tools(),
    health: async () => withoutCauses(await core.health()),
    async approvals(filter) {
      const { conversationId, turnId, state } = filter;
      if (conversationId !== undefined || turnId !== undefined) return mine(await core.approvals(filter));
      const open = (["pending", "unknown"] as const).filter((one) => state === undefined || one === state);
      const lists = await Promise.all([
        core.approvals({ ...filter, takenPartBy }),
        // What they may decide for others. What of that is over is theirs once they have decided it.
        ...open.map(async (one) => mine(await core.approvals({ state: one }))),
      ]);
      const all = new Map(lists.flat().map((one) => [one.id, one]));
      return [...all.values()].toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    },
    approval,
    decide: after(requireRequest, async (request: DecideRequest) => {
      const reply = await core.decide(request);
      return { ...reply, approval: await asTheySee(reply.approval) };
    }),
    edit: after(requireRequest, async (request: EditRequest) => asTheySee(await core.edit(request))),
    lookup: after(requireApproval, (approvalId, actor) => core.lookup(approvalId, actor)),
    settle: after(requireRequest, async (request: SettleRequest) => asTheySee(await core.settle(request))),
    async grants(conversationId) {
      if (conversationId === undefined) return core.grants(undefined, takenPartBy);
      return (await isTheirs(conversationId)) ? core.grants(conversationId) : [];
    },
    async grant(id) {
      const found = await core.grant(id);
      if (found === undefined) return undefined;
      const may = (await isTheirs(found.conversationId)) || (await approval(found.approvalId)) !== undefined;
      return may ? found : undefined;
    },
    async revokeGrant(grantId, actor) {
      own(actor);
      if ((await seen.grant(grantId)) === undefined) throw nothing("grant", grantId);
      return core.revokeGrant(grantId, actor);
    },
    async file(id) {
      const found = await core.file(id);
      return found !== undefined && (await turn(found.turnId)) !== undefined ? found : undefined;
    },
    async questions(filter) {
      const { conversationId, turnId } = filter;
      if (turnId !== undefined && (await turn(turnId)) === undefined) return [];
      if (conversationId !== undefined && !(await isTheirs(conversationId))) return [];
      const isNamed = turnId !== undefined || conversationId !== undefined;
      return core.questions(isNamed ? filter : { ...filter, takenPartBy });
    },
    async question(id) {
      const found = await core.question(id);
      return found !== undefined && (await isTheirs(found.conversationId)) ? found : undefined;
    },
    async answer(request) {
      own(request.actor);
      if ((await seen.question(request.questionId)) === undefined)
        throw nothing("question", request.questionId);
      return core.answer(request);
    },
    commands: () => core.commands(),
    readCommand: (message) => core.readCommand(message),
    checkCall: (call) => core.checkCall(call),
    approvalsFor: async (actor) => Promise.all((await core.approvalsFor(own(actor))).map(asTheySee)),
    privacy: after(requireChannel, (channel) => core.privacy(channel)),
    async setPrivacy(request) {
      own(request.actor);
      await requireChannel(request.channel);
      return core.setPrivacy(request);
    },
    onChange: (listener) => core.onChange(listener),
  };

  /** Empty: no channel is asked about. */
  async function requireAsker({ actor, channel }: AccountAsker): Promise<void> {
    own(actor);
    if (channel !== "") await requireChannel(channel);
  }

  const theirs: Connections = {
    list: (actor) => connections.list(own(actor)),
    accounts: after(requireAsker, (asker) => connections.accounts(asker)),
    async begin(server, asker) {
      await requireAsker(asker);
      return connections.begin(server, asker);
    },
    async disconnect(server, actor, whose) {
      own(actor);
      if (whose !== undefined && whose !== actor && siteIn(whose) === undefined) await requireChannel(whose);
      return connections.disconnect(server, actor, whose);
    },
    async use(request, asker) {
      await requireAsker(asker);
      return connections.use(request, asker);
    },
    // Whoever has the state of an authorisation came back from it; whose it is, the page asks.
    look: (state) => connections.look(state),
    finish: (params) => connections.finish(params),
    lookSite: (token) => connections.lookSite(token),
    keepSite: (token, form) => connections.keepSite(token, form),
    clientDocument: () => connections.clientDocument(),
  };

  const themselves: People = {
    me: (actor) => people.me(own(actor)),
    search: (server, text, actor) => people.search(server, text, own(actor)),
    set: (actor, server, account) => people.set(own(actor), server, account),
    forget: (actor, server) => people.forget(own(actor), server),
  };

  return {
    core: seen,
    connections: theirs,
    people: themselves,
    view: async (turnId) => ((await turn(turnId)) === undefined ? undefined : product.view(turnId)),
  };
}

/** What is done once the guard has let it through. */
function after<Given extends readonly unknown[], Result>(
  guard: (...given: Given) => Promise<void>,
  act: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    await guard(...given);
    return act(...given);
  };
}

/** In the words of the core for an id that it does not know. */
function nothing(kind: string, id: string): CountersignError {
  return new CountersignError("not_found", `There is no ${kind} ${id}.`);
}

/** How it is, without why: causes name addresses, files and accounts of whoever runs it. */
function withoutCauses({ status, version, model, servers, store, surfaces = {} }: Health): Health {
  const { provider, model: name, reachable } = model;
  const platforms = Object.entries(surfaces).map(([surface, { status: how }]) => [surface, { status: how }]);
  return {
    status,
    version,
    model: { provider, model: name, reachable },
    servers: servers.map(({ name: server, status: how, tools, note }) => ({
      name: server,
      status: how,
      tools,
      ...(note === undefined ? {} : { note }),
    })),
    store: { kind: store.kind, ok: store.ok },
    ...(platforms.length === 0 ? {} : { surfaces: Object.fromEntries(platforms) as typeof surfaces }),
  };
}
