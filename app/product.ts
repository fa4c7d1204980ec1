import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import type { EmbedPort } from "#contract/model.ts";
import type { Presenter } from "#contract/present.ts";
import { createFailPoint } from "#src/base/fail-point.ts";
import { newId, personKey } from "#src/base/ids.ts";
import { live } from "#src/base/live.ts";
import { createRedactor } from "#src/base/redact.ts";
import { toolById } from "#src/base/tool-names.ts";
import { verifyAuditTail } from "#src/ledger/audit.ts";
import { createAuditReader } from "#src/ledger/audit-reader.ts";
import { createLedger } from "#src/ledger/ledger.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { requireSandbox } from "#src/mcp/connect/sandbox.ts";
import { checkNames, createToolBox } from "#src/mcp/tool-box.ts";
import { createEmbedding, type Embedding } from "#src/model/ollama.ts";
import type { LogTarget } from "#src/observe/log.ts";
import { watchedMessages, watchedTools, watchedViews } from "#src/observe/watched.ts";
import { createToolWatch } from "#src/plan/tool-watch.ts";
import { type ChannelPolicy, createChannelPolicy } from "#src/policy/channels.ts";
import { readMessageRef } from "#src/present/messages.ts";
import { createPresenter } from "#src/present/presenter.ts";
import { readSnapshot } from "#src/present/snapshot.ts";
import { loadSettings, type Settings } from "#src/settings/load.ts";
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
import { createReload } from "./reload.ts";
import { openQueue, openSealer, openStore } from "./storage.ts";
import { openTurns } from "./turns.ts";
import { visibleTo } from "./visible-product.ts";
import { openWatch } from "./watch.ts";
import { createConfigurationWatch } from "./watch-files.ts";

const root: string = fileURLToPath(new URL("../", import.meta.url));

const EXPIRY_SWEEP_MS = 5_000;
/** How long a start of the product waits for its servers. */
const SERVERS_MS = 10_000;
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
  let secrets = secretsOf(settings, env);
  let masking = createRedactor(secrets);
  const redactor = live(() => masking);
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
  let embedding = openEmbedding(settings);
  const embedder = (): EmbedPort | undefined => embedding.current();
  let fixed = fixedArguments(settings);
  const toolBox = createToolBox({
    servers: serversOf(settings, root),
    version,
    cwd: root,
    env: { ...env, COUNTERSIGN_DATA: settings.data_dir },
    log,
    protocols: createKeyv(db, "mcp-verdict"),
    sessions: createKeyv(db, "mcp-session"),
    oauth,
    fixedArguments: (tool) => fixed(tool),
    builtins: { embedder },
  });
  const tools = namingAsker(watchedTools(toolBox, watch), () => people, log);
  let rules = policyOf(settings);
  const channels = live(() => rules);
  const policy: ChannelPolicy["decide"] = (...call) => channels.decide(...call);

  const limits = createLimits({
    settings: () => settings.limits,
    personOf: (actor) => personKey(persons.configured(actor)?.actors[0] ?? actor),
    now,
  });
  const journal = new Journal({ ...shared, limits });
  const queue = await openQueue(settings, { db, journal, now, log });
  const enqueue: TurnQueue["enqueue"] = (tx, turn) => runner.enqueue(tx, turn);
  const persons = openPersons(settings, { ...shared, platforms: options.members });
  const people = openPeople(settings, { ...shared, persons, tools, policy });
  const membership = createMembership(() => settings.policy.groups, options.members, persons);
  const ledger = createLedger({
    ...shared,
    enqueue,
    membership,
    nameOf: (actor) => persons.knownName(actor),
    worker: newId("worker"),
    onContinue: (turn) => runner.wake(turn),
  });
  const credentials = createTurnCredentials({ db, sealer });
  const turns = await openTurns({
    ...shared,
    settings,
    prompts: `${root}prompts`,
    embedder,
    viewsOf(given) {
      const statements = createStatements(given.tools);
      const warn = (message: string): void => log.warn({}, message);
      const views = createViews(given.views, warn, statements, (id) => toolById(tools, id));
      return { statements, views: watchedViews(views, watch) };
    },
    tools,
    channels,
    journal,
    queue,
    ledger,
    people,
    membership,
    knownName: (actor) => persons.knownName(actor),
    sealed: credentials,
  });
  const { models, memory, runner } = turns;
  const sites = openSites(settings, { ...shared, sealer, publicUrl, tools: toolBox });
  const inbox = createInbox({ ...shared, credentials, sites, limits, enqueue });
  const privacy = createPrivacy({
    ...shared,
    configured: (channel) => settings.channels[channel]?.privacy?.summarize ?? settings.privacy.summarize,
    membership,
    get hasAdmins() {
      return Object.hasOwn(settings.policy.groups, "admins");
    },
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
    configuration: () => reload.notices(),
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
    commands: () => commandsOf(settings),
    inspect: () => settings.model.inspect,
    health,
  });

  const reload = createReload({
    settings,
    read: () => loadSettings({ file: settings.file, env, cwd: process.cwd() }),
    log,
    async prepare(next, changed) {
      await requireSandbox(next.servers, env);
      const servers = serversOf(next, root);
      checkNames(servers);
      const nextRules = policyOf(next);
      const { havePromptsChanged, take } = await turns.prepare(next);
      const isOtherEmbedding = !isDeepStrictEqual(next.model.ollama, settings.model.ollama);
      return {
        changed: havePromptsChanged ? ["prompts"] : [],
        commit() {
          // What was secret stays so, as it may still be told.
          secrets = [...new Set([...secrets, ...secretsOf(next, env)])];
          masking = createRedactor(secrets);
          rules = nextRules;
          take();
          fixed = fixedArguments(next);
          people.take(next);
          toolBox.apply(servers, { isFixed: changed.includes("tools") });
          if (!isOtherEmbedding) return;
          embedding.stop();
          embedding = openEmbedding(next);
          void startEmbedding(next);
        },
      };
    },
    onTaken(changed) {
      watching.follow(settings);
      transact(async (_tx, note) =>
        note({ kind: "configuration.changed", data: { changed: [...changed] } }),
      ).catch((error: unknown) => log.warn({ error }, "a change of the configuration could not be recorded"));
    },
  });
  const watching = createConfigurationWatch(() => void reload.reload("its files changed"), log);

  /** Resolves once it was looked for. */
  async function startEmbedding({ model }: Settings): Promise<void> {
    if (model.provider !== "builtin" && model.ollama.embeddings) await embedding.start();
  }

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
        startEmbedding(settings),
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
      watching.follow(settings);
    },
    async reload(why) {
      if (!isClosing) await reload.reload(why);
    },
    async close() {
      isClosing = true;
      watching.stop();
      clearInterval(sweep);
      anchor.stop();
      await retention.stop();
      await runner.close(settings.shutdown.grace);
      await Promise.all([changes.close(), ...presenters.map((presenter) => presenter.stop())]);
      turns.close();
      embedding.stop();
      await tools.stop();
      await oauth.settled();
      await Promise.all([store.close(), watch.tracer.close()]);
    },
  };
}

function policyOf({ policy, approvals, channels }: Settings): ChannelPolicy {
  return createChannelPolicy({ ...policy, remind: approvals.remind }, channels);
}

function openEmbedding({ model: { ollama } }: Settings): Embedding {
  return createEmbedding({ ...ollama, model: ollama.embed_model });
}
