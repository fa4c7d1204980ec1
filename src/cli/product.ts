import { fileURLToPath } from "node:url";

import type { SurfaceStatus } from "#contract/core.ts";
import type { Presenter } from "#contract/present.ts";
import { createViews } from "#views/manager.ts";

import { createFailPoint } from "../base/fail-point.ts";
import { newId } from "../base/ids.ts";
import { createRedactor } from "../base/redact.ts";
import { createLedger } from "../ledger/ledger.ts";
import { createTransact } from "../ledger/commit.ts";
import { verifyAuditTail } from "../ledger/verify.ts";
import { createToolBox } from "../mcp/pool.ts";
import { requireSandbox } from "../mcp/sandbox.ts";
import { createEmbedding } from "../model/embedding.ts";
import { createLog, type LogTarget } from "../observe/log.ts";
import { createChannelPolicy } from "../policy/channels.ts";
import { createShowsTool } from "../policy/withheld.ts";
import { createPresenter } from "../present/presenter.ts";
import { readMessageRef } from "../present/message-ref.ts";
import { readSnapshot } from "../present/snapshot.ts";
import type { Settings } from "../settings/load.ts";
import { createKeyv } from "../store/keyv.ts";
import { createSealedKeyv } from "../store/sealed.ts";
import { createToolVectors } from "../store/tool-vectors.ts";
import { createAccess } from "../turn/access.ts";
import { createChanges } from "../turn/changes.ts";
import { createInbox } from "../turn/inbox.ts";
import { createMemory } from "../turn/memory.ts";
import { createJournal } from "../turn/journal.ts";
import { createSuggest } from "../turn/suggest.ts";
import { createPrivacy } from "../turn/privacy.ts";
import { createTurnSignals } from "../turn/signals.ts";
import { createTurnCredentials } from "../turn/turn-credentials.ts";
import { createAccept } from "./accept.ts";
import { createAuditAnchor } from "./audit-anchor.ts";
import { commandsOf } from "./command-info.ts";
import { createCore } from "./core.ts";
import { createHealth } from "./health.ts";
import { createMembership, type PlatformMembers } from "./membership.ts";
import { openQueue, openStore } from "./open-store.ts";
import { openPlanning } from "./planning-room.ts";
import type { Product } from "./product-port.ts";
import { openOAuth } from "./open-oauth.ts";
import { openSealer } from "./open-sealer.ts";
import { secretsOf } from "./secrets.ts";
import { openTurns } from "./turn-room.ts";
import { seenBy } from "./seen-by.ts";
import { version } from "./version.ts";
import { watchTools } from "./watch-tools.ts";

const root: string = fileURLToPath(new URL("../../", import.meta.url));

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
    verdicts: createKeyv(db, "mcp-verdict"),
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
  const journal = createJournal({ db, kind, transact, now, signals, failPoint });
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
    db,
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
    inbox,
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
    seenBy: (viewer) => seenBy(viewer, { ...whole, accept }, access),
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
