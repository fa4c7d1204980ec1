import { fileURLToPath } from "node:url";

import type { SurfaceStatus } from "#contract/core.ts";
import type { Presenter } from "#contract/present.ts";
import { createFailPoint } from "#src/base/fail-point.ts";
import { newId } from "#src/base/ids.ts";
import { createRedactor } from "#src/base/redact.ts";
import { verifyAuditTail } from "#src/ledger/audit.ts";
import { createLedger } from "#src/ledger/ledger.ts";
import { createTransact } from "#src/ledger/transact.ts";
import { requireSandbox } from "#src/mcp/connect/sandbox.ts";
import { createToolBox } from "#src/mcp/tool-box.ts";
import { createEmbedding } from "#src/model/ollama.ts";
import { createLog, type LogTarget } from "#src/observe/log.ts";
import { createChannelPolicy } from "#src/policy/channels.ts";
import { createShowsTool } from "#src/policy/withheld.ts";
import { readMessageRef } from "#src/present/messages.ts";
import { createPresenter } from "#src/present/presenter.ts";
import { readSnapshot } from "#src/present/snapshot.ts";
import type { Settings } from "#src/settings/load.ts";
import { createKeyv } from "#src/store/keyv.ts";
import { createSealedKeyv } from "#src/store/sealed.ts";
import { createToolVectors } from "#src/store/tool-vectors.ts";
import { createAccess } from "#src/turn/access.ts";
import { createTurnSignals } from "#src/turn/events.ts";
import { createChanges } from "#src/turn/follow.ts";
import { createInbox, createTurnCredentials } from "#src/turn/inbox.ts";
import { Journal } from "#src/turn/journal.ts";
import { createMemory } from "#src/turn/memory.ts";
import { createPrivacy } from "#src/turn/privacy.ts";
import { createSuggest } from "#src/turn/suggest.ts";
import { createViews } from "#views/manager.ts";

import { openOAuth } from "./accounts.ts";
import { createAccept, createCore } from "./core.ts";
import { createAuditAnchor, createHealth, watchTools } from "./health.ts";
import { createMembership, type PlatformMembers } from "./membership.ts";
import type { Product } from "./product-port.ts";
import { commandsOf, secretsOf, version } from "./settings.ts";
import { openQueue, openSealer, openStore } from "./storage.ts";
import { openPlanning, openTurns } from "./turns.ts";
import { visibleTo } from "./visible-product.ts";

const root: string = fileURLToPath(new URL("../", import.meta.url));

const EXPIRY_SWEEP_MS = 5_000;
const SHUTDOWN_GRACE_MS = 8_000;
/** Short, so that another replica takes over soon; kept up by a heartbeat three times as often. */
const LEASE_MS = 10_000;
const EVENT_POLL_MS = 250;
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
  const log = await createLog({ level: env.LOG_LEVEL ?? "info", redactor, target: options.log });
  const views = createViews(settings.views, (message) => log.warn({}, message));
  await requireSandbox(settings.servers, env);
  const store = await openStore(settings, log);
  const { db, kind, now } = store;
  const sealer = await openSealer(settings, store, log);

  const transact = createTransact(db, { kind, redactor, now });
  const { oauth, reachedAt } = openOAuth(settings, store, { sealer, log, transact });
  const tools = createToolBox({
    servers: settings.servers,
    version,
    cwd: root,
    env: { ...env, COUNTERSIGN_DATA: settings.data_dir },
    log,
    protocols: createKeyv(db, "mcp-verdict"),
    sessions: createKeyv(db, "mcp-session"),
    oauth,
    builtins: { embedder: () => embedding.current() },
  });
  const embedding = createEmbedding({ ...settings.model.ollama, model: settings.model.ollama.embed_model });
  const commands = commandsOf(settings);
  const channels = createChannelPolicy(settings.policy, settings.channels);
  const policy = channels.decide;
  const showsTool = createShowsTool(
    settings.privacy.withhold,
    settings.servers.flatMap((server) => (server.privacy.summarize ? [] : [server.name])),
  );
  const planning = await openPlanning(settings, {
    folder: `${root}prompts`,
    commands,
    find: (name) => tools.find(name),
    embedder: () => embedding.current(),
    vectors: createToolVectors(db, now),
    now,
    log,
  });
  const { models, checker, planner } = planning;

  const signals = createTurnSignals(kind === "postgres" ? EVENT_POLL_MS : 0);
  const failPoint = createFailPoint(env);
  const journal = new Journal({ db, kind, transact, now, signals, failPoint });
  const queue = await openQueue(settings, { journal, log });
  const membership = createMembership(settings.policy.groups, options.members);
  const ledger = createLedger({
    db,
    kind,
    transact,
    failPoint,
    enqueue: (tx, turn) => queue.enqueue(tx, turn),
    membership,
    now,
    worker: newId("worker"),
    leaseMs: LEASE_MS,
    onContinue: (turn) => queue.wake(turn),
  });
  const memory = createMemory({
    db,
    journal,
    redactor,
    // Without a model that plans nobody would read what is recalled.
    embedder: () =>
      settings.memory.enabled && models.current().port !== undefined ? embedding.current() : undefined,
    showsTool,
    maxAgeMs: settings.memory.max_age,
    tokens: settings.memory.tokens,
    now,
    log,
  });
  const credentials = createTurnCredentials({ db, sealer });
  const { runner, cardCalls, questions, files } = await openTurns({
    settings,
    store,
    log,
    redactor,
    views,
    tools,
    models,
    planner,
    checker,
    channels,
    showsTool,
    signals,
    failPoint,
    transact,
    journal,
    queue,
    ledger,
    memory,
    credentials,
    leaseMs: LEASE_MS,
  });
  const inbox = createInbox({
    transact,
    now,
    failPoint,
    credentials,
    enqueue: (tx, turn) => queue.enqueue(tx, turn),
  });
  const privacy = createPrivacy({
    db,
    transact,
    configured: (channel) => settings.channels[channel]?.privacy?.summarize ?? settings.privacy.summarize,
    membership,
    hasAdmins: Object.hasOwn(settings.policy.groups, "admins"),
    now,
  });
  const changes = createChanges({ db, pollMs: CHANGES_POLL_MS, log });
  const surfaces = new Map<string, () => SurfaceStatus>();
  const anchor = createAuditAnchor(settings, store, log);
  const toolWatch = watchTools(tools, store, { transact, log });
  let auditFault: string | undefined;
  const health = createHealth({
    version,
    tools,
    models,
    store,
    surfaces,
    toolWatch,
    auditFault: () => auditFault,
  });
  let sweep: NodeJS.Timeout | undefined;
  let isClosing = false;

  const accept = createAccept({ inbox, privacy, queue, log });
  const presenters: Presenter[] = [];
  const core = createCore({
    db,
    submit: (request) => accept(request),
    signals,
    journal,
    runner,
    tools,
    policy,
    checker,
    ledger,
    membership,
    cardCalls,
    files,
    questions,
    privacy,
    changes,
    commands,
    redactor,
    inspect: settings.model.inspect,
    health: () => health(sweep !== undefined),
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
    connections: oauth,
    async view(turnId: string) {
      if ((await journal.turn(turnId)) === undefined) return undefined;
      return (await readSnapshot({ db, kind, now, redactor }, turnId)).view;
    },
  };

  return {
    ...whole,
    seenBy: (viewer) => visibleTo(viewer, { ...whole, accept }, access),
    reachedAt,
    log,
    version,
    present(port) {
      const worker = newId("worker");
      const parts = { db, kind, accept, port, signals, now, redactor, worker, failPoint, log };
      const presenter = createPresenter({ ...parts, leaseMs: LEASE_MS });
      presenters.push(presenter);
      return presenter;
    },
    messageOf: (turnId) => readMessageRef(db, turnId),
    suggest: createSuggest({ tools, policy, sources: (name) => settings.commands[name] }),
    state: (namespace) => createKeyv(db, namespace),
    sealed: (namespace) => createSealedKeyv(db, namespace, sealer),
    watch: (surface, status) => void surfaces.set(surface, status),
    announceThrough: (surface, announce) => anchor.announceThrough(surface, announce),
    async ready() {
      await Promise.all([
        lookAtAudit(),
        tools.start(),
        models.start(),
        settings.model.provider === "builtin" || embedding.start(),
      ]);
      await memory.forgetOld();
      await toolWatch.look();
      tools.onChange(() => {
        void toolWatch.look();
        void planning.see(tools.tools());
      });
      await planning.see(tools.tools());
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
    },
    async close() {
      isClosing = true;
      clearInterval(sweep);
      anchor.stop();
      await runner.close(SHUTDOWN_GRACE_MS);
      await Promise.all([changes.close(), ...presenters.map((presenter) => presenter.stop())]);
      planning.close();
      memory.close();
      embedding.stop();
      await tools.stop();
      await oauth.settled();
      await store.close();
    },
  };
}
