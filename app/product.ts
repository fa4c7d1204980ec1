import { fileURLToPath } from "node:url";

import type { EmbedPort } from "#contract/model.ts";
import type { Presenter } from "#contract/present.ts";
import { createFailPoint } from "#src/base/fail-point.ts";
import { newId, personKey } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { toolById } from "#src/base/tool-names.ts";
import { verifyAuditTail } from "#src/ledger/audit.ts";
import { createAuditReader } from "#src/ledger/audit-reader.ts";
import { createLedger } from "#src/ledger/ledger.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { requireSandbox } from "#src/mcp/connect/sandbox.ts";
import { createToolBox } from "#src/mcp/tool-box.ts";
import { createEmbedding } from "#src/model/ollama.ts";
import type { LogTarget } from "#src/observe/log.ts";
import { watchedMessages, watchedTools, watchedViews } from "#src/observe/watched.ts";
import { createToolWatch } from "#src/plan/tool-watch.ts";
import { createChannelPolicy } from "#src/policy/channels.ts";
import { readMessageRef } from "#src/present/messages.ts";
import { createPresenter } from "#src/present/presenter.ts";
import { readSnapshot } from "#src/present/snapshot.ts";
import type { Settings } from "#src/settings/load.ts";
import { createKeyv } from "#src/store/keyv.ts";
import { createSealedKeyv } from "#src/store/sealed.ts";
import { createAccess } from "#src/turn/access.ts";
import { createTurnSignals } from "#src/turn/events.ts";
import { createChanges } from "#src/turn/changes.ts";
import { createConversationChanges } from "#src/turn/conversations.ts";
import { readFigures } from "#src/turn/figures.ts";
import { createInbox, createTurnCredentials } from "#src/turn/inbox.ts";
import { Journal } from "#src/turn/journal.ts";
import { createLimits } from "#src/turn/limits.ts";
import { createPrivacy } from "#src/turn/privacy.ts";
import type { TurnQueue } from "#src/turn/queue.ts";
import { createRetention } from "#src/turn/retention.ts";
import { createSuggest } from "#src/turn/suggest.ts";
import { createViews } from "#views/manager.ts";
import { createStatements } from "#views/statement.ts";

import { openOAuth } from "./accounts.ts";
import { openSites, withSites } from "./sites.ts";
import { createAccept, createCore } from "./core.ts";
import { createAuditAnchor, createHealth, toldOf } from "./health.ts";
import { createMembership, type PlatformMembers } from "./membership.ts";
import type { ConnectedPlatform, Product } from "./product-port.ts";
import {
  commandsOf,
  fixedArguments,
  languageIn,
  noticeSettings,
  secretsOf,
  serversOf,
  version,
} from "./settings.ts";
import { createNames, namingAsker, openPeople, openPersons } from "./people.ts";
import { openQueue, openSealer, openStore } from "./storage.ts";
import { openTurns } from "./turns.ts";
import { visibleTo } from "./visible-product.ts";
import { openWatch } from "./watch.ts";

const root: string = fileURLToPath(new URL("../", import.meta.url));

const EXPIRY_SWEEP_MS = 5_000;
/** How long a start of the product waits for its servers. */
const SERVERS_MS = 10_000;
const SHUTDOWN_GRACE_MS = 8_000;
/** Short, so that another replica takes over soon; kept up by a heartbeat three times as often. */
const LEASE_MS = 10_000;
/** Where events of other replicas are told of, and nothing was heard. */
const EVENT_POLL_MS = 2_000;
const CHANGES_POLL_MS = 1_000;
/** Of the audit record's end, looked at with every start: some 15 ms. */
const CHECKED_ENTRIES = 500;

/** Builds the product from its settings: the one place that knows every room. */
export async function createProduct(
  settings: Settings,
  options: { log: LogTarget; env: NodeJS.ProcessEnv; members?: PlatformMembers },
): Promise<Product> {
  const { env } = options;
  const redactor = createRedactor(secretsOf(settings, env));
  const watch = await openWatch(settings, {
    redactor,
    target: options.log,
    env,
    figures: () => readFigures(db, now()),
    servers: () => toolBox.servers(),
  });
  const { record, log } = watch;
  await requireSandbox(settings.servers, env);
  const store = await openStore(settings, log);
  const { db, kind, now, vectors } = store;
  const sealer = await openSealer(settings, store, log);
  const changes = createChanges({
    db,
    pollMs: CHANGES_POLL_MS,
    health: () => health().then(toldOf, () => ""),
    log,
  });
  const transact = createTransact(db, {
    kind,
    redactor,
    now,
    onCommit(entries, ms) {
      if (entries.length > 0) changes.wake();
      record.committed(entries, ms);
    },
  });
  const signals = createTurnSignals(kind === "postgres" ? EVENT_POLL_MS : 0);
  signals.onTold((_turnId, told) => {
    if (typeof told === "object" && "events" in told) record.turn(told);
  });
  store.listen?.((turnId, seq) => signals.heard(turnId, seq));
  const failPoint = createFailPoint(env);
  const leaseMs = LEASE_MS;
  const language = languageIn(settings);
  const seen = { signals, failPoint, redactor, ...watch };
  const shared = { db, kind, now, vectors, transact, leaseMs, language, ...seen };

  const { oauth, publicUrl, reachedAt } = openOAuth(settings, sealer, shared);
  const embedding = createEmbedding({ ...settings.model.ollama, model: settings.model.ollama.embed_model });
  const embedder = (): EmbedPort | undefined => embedding.current();
  const toolBox = createToolBox({
    servers: serversOf(settings, root),
    version,
    cwd: root,
    env: { ...env, COUNTERSIGN_DATA: settings.data_dir },
    log,
    protocols: createKeyv(db, "mcp-verdict"),
    sessions: createKeyv(db, "mcp-session"),
    oauth,
    fixedArguments: fixedArguments(settings),
    builtins: { embedder },
  });
  const tools = namingAsker(watchedTools(toolBox, watch), () => people, log);
  const commands = commandsOf(settings);
  const channels = createChannelPolicy(
    { ...settings.policy, remind: settings.approvals.remind },
    settings.channels,
  );
  const policy = channels.decide;

  const limits = createLimits({
    settings: () => settings.limits,
    personOf: (actor) => personKey(persons.configured(actor)?.actors[0] ?? actor),
    now,
  });
  const journal = new Journal({ ...shared, limits });
  const queue = await openQueue(settings, { journal, now, log });
  const enqueue: TurnQueue["enqueue"] = (tx, turn) => runner.enqueue(tx, turn);
  const persons = openPersons(settings, { ...shared, platforms: options.members });
  const people = openPeople(settings, { ...shared, persons, tools, policy });
  const membership = createMembership(settings.policy.groups, options.members, persons);
  const ledger = createLedger({
    ...shared,
    enqueue,
    membership,
    nameOf: (actor) => persons.knownName(actor),
    worker: newId("worker"),
    onContinue: (turn) => runner.wake(turn),
  });
  const credentials = createTurnCredentials({ db, sealer });
  const statements = createStatements(settings.tools);
  const turns = await openTurns({
    ...shared,
    settings,
    prompts: `${root}prompts`,
    commands,
    embedder,
    views: watchedViews(
      createViews(
        settings.views,
        (message) => log.warn({}, message),
        statements,
        (id) => toolById(tools, id)?.title,
      ),
      watch,
    ),
    statements,
    tools,
    channels,
    journal,
    queue,
    ledger,
    people,
    sealed: credentials,
  });
  const { models, memory, runner } = turns;
  const sites = openSites(settings, { ...shared, sealer, publicUrl, tools: toolBox });
  const inbox = createInbox({ ...shared, credentials, sites, limits, enqueue });
  const privacy = createPrivacy({
    ...shared,
    configured: (channel) => settings.channels[channel]?.privacy?.summarize ?? settings.privacy.summarize,
    membership,
    hasAdmins: Object.hasOwn(settings.policy.groups, "admins"),
  });
  const accept = createAccept({ inbox, privacy, runner, record, log });
  const platforms = new Map<string, ConnectedPlatform>();
  const anchor = createAuditAnchor(settings.audit.head_channel, platforms, shared);
  const toolWatch = createToolWatch({
    tools: () => tools.tools(),
    known: createKeyv(db, "tool-digests"),
    now,
    log,
    onChange: (change) => transact(async (_tx, note) => note({ kind: "tool.changed", data: { ...change } })),
  });

  const retention = createRetention({ ...shared, keep: settings.store.keep });
  const presenters: Presenter[] = [];
  let auditFault: string | undefined;
  let sweep: NodeJS.Timeout | undefined;
  let isClosing = false;
  const health = createHealth({
    version,
    tools,
    models,
    store,
    platforms,
    toolWatch,
    auditFault: () => auditFault,
    isReady: () => sweep !== undefined,
  });
  const core = createCore({
    ...shared,
    ...turns,
    submit: (request) => accept(request),
    journal,
    tools,
    policy,
    ledger,
    membership,
    namesOf: createNames(persons),
    knownName: (actor) => persons.knownName(actor),
    privacy,
    changes,
    conversations: createConversationChanges(shared),
    commands,
    inspect: settings.model.inspect,
    health,
  });

  async function sweepRequests(): Promise<void> {
    await ledger.expireDue();
    await ledger.remindDue();
  }

  async function lookAtAudit(): Promise<void> {
    auditFault = await verifyAuditTail(db, CHECKED_ENTRIES);
    if (auditFault === undefined) return;
    log.error({ fault: auditFault }, "the audit record was changed: see countersign audit verify");
  }

  const access = createAccess({ db, kind, membership });
  const whole = {
    core,
    connections: withSites(oauth, sites),
    people: people.directory,
    async view(turnId: string) {
      if ((await journal.turn(turnId)) === undefined) return undefined;
      return (await readSnapshot(shared, turnId)).view;
    },
  };

  return {
    ...whole,
    audit: createAuditReader({ db, redactor, nameOf: (actor) => persons.knownName(actor) }),
    visibleTo: (viewer) => visibleTo(viewer, { ...whole, accept }, access),
    reachedAt,
    metrics: record,
    waited: (surface, ms) => record.waited(surface, ms),
    log,
    version,
    present(port) {
      const presenter = createPresenter({
        ...shared,
        accept,
        port: watchedMessages(port, watch),
        onCoalesced: (events) => record.coalesced(port.surface, events),
        worker: newId("worker"),
        notices: (channel) => noticeSettings(settings, channel),
      });
      presenters.push(presenter);
      return presenter;
    },
    messageOf: (turnId) => readMessageRef(db, turnId),
    suggest: createSuggest({ tools, policy, sources: (name) => settings.commands[name] }),
    state: (namespace) => createKeyv(db, namespace),
    sealed: (namespace) => createSealedKeyv(db, namespace, sealer),
    addPlatform: (surface, platform) => void platforms.set(surface, platform),
    async ready() {
      await Promise.all([
        lookAtAudit(),
        // One that takes longer, as it has to be downloaded, comes up while the others work.
        tools.start(SERVERS_MS),
        models.start(),
        settings.model.provider === "builtin" || !settings.model.ollama.embeddings || embedding.start(),
      ]);
      await memory.forgetOld();
      await toolWatch.look();
      tools.onChange(() => {
        void toolWatch.look();
        void turns.seeTools();
      });
      await turns.seeTools();
      if (isClosing) return;
      // Turns that were accepted meanwhile wait until the servers have told their tools.
      const recovered = await runner.start();
      if (recovered > 0) log.info({ turns: recovered }, "unfinished turns taken up");
      await sweepRequests();
      if (isClosing) return;
      sweep = setInterval(() => {
        sweepRequests().catch((error: unknown) =>
          log.warn({ error }, "requests could not be expired or reminded of, will be tried again"),
        );
      }, EXPIRY_SWEEP_MS);
      anchor.start();
      retention.start();
    },
    async close() {
      isClosing = true;
      clearInterval(sweep);
      anchor.stop();
      await retention.stop();
      await runner.close(SHUTDOWN_GRACE_MS);
      await Promise.all([changes.close(), ...presenters.map((presenter) => presenter.stop())]);
      turns.close();
      embedding.stop();
      await tools.stop();
      await oauth.settled();
      await Promise.all([store.close(), watch.tracer.close()]);
    },
  };
}
