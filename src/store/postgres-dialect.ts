import {
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type pg from "pg";

import { codeOf } from "../base/errors.ts";
import { isPosted } from "./built.ts";
import { toText } from "./packed.ts";
import { tellStatement } from "./statements.ts";
import { fromDriver } from "./store-errors.ts";

/** Kysely's Postgres, for texts as people and tools write them, and with our codes for its troubles. */
export function tolerantDialect(pool: pg.Pool): Dialect {
  return {
    createDriver: () => new PipeliningDriver({ pool }),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/**
 * Within a transaction the beginning and what is posted (`postBuilt`) is sent without waiting for its answer. Where
 * one of them fails, Postgres does nothing of what follows, the commit included, and whoever waits next is told.
 */
class PipeliningDriver extends PostgresDriver {
  readonly #known = new WeakSet<DatabaseConnection>();

  override async acquireConnection(
    ...options: Parameters<PostgresDriver["acquireConnection"]>
  ): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(...options).catch(rethrow);
    // The driver knows its connections by identity, so this one is changed and not wrapped.
    if (!this.#known.has(connection)) pipeline(connection);
    this.#known.add(connection);
    return connection;
  }
}

function pipeline(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  let isWithin = false;
  let posted: Promise<unknown>[] = [];

  async function ask<Row>(...given: Parameters<typeof execute>): Promise<QueryResult<Row>> {
    const [query, options] = given;
    const { sql } = query;
    const isAlone = !isWithin && WRITE.test(sql);
    if (!isAlone) tellStatement(() => ({ sql, isCommit: sql === "commit" }));
    const isBegin = BEGIN.test(sql);
    if (isBegin) isWithin = true;
    else if (sql === "commit" || sql === "rollback") isWithin = false;
    const toAsk = { ...query, parameters: query.parameters.map(toParameter) };
    const answer = execute<Row>(toAsk, options);
    if (isBegin || (isWithin && isPosted(query))) {
      answer.catch(() => undefined);
      posted.push(answer);
      return { rows: [] };
    }
    if (posted.length === 0 && !isWithin) {
      const result = await answer.catch((error: unknown) => {
        if (!UNPREPARED.has(codeOf(error) ?? "")) throw error;
        return execute<Row>(toAsk, options);
      });
      // What changes nothing makes nothing durable.
      const isCommit = result.rows.length > 0 || (result.numAffectedRows ?? 0n) > 0n;
      if (isAlone) tellStatement(() => ({ sql, isCommit }));
      return result;
    }
    const all = sql === "rollback" ? [] : [...posted, answer];
    posted = [];
    // The first failure is the reason of all others.
    await Promise.all(all);
    return answer;
  }
  connection.executeQuery = <Row>(...given: Parameters<typeof execute>) => ask<Row>(...given).catch(rethrow);
}

/**
 * The connection does not have what was prepared on it: something between gives each transaction another one. Nothing
 * is asked by its name from then on, and what failed for it can be made again.
 */
export const UNPREPARED: ReadonlySet<string> = new Set(["26000", "42P05"]);

const BEGIN = /^(?:begin|start transaction)/;
const WRITE = /^(?:insert|update|delete|with)/i;

function rethrow(error: unknown): never {
  throw fromDriver(error);
}

/**
 * Postgres refuses NUL in text; what a tool or a person says must not fail for it. What is packed it has as text.
 */
function toParameter(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  return value instanceof Uint8Array ? toText(value) : value;
}

interface Socket {
  writableCorked: number;
  cork(): void;
  uncork(): void;
  destroy(): void;
}

/** What is known of a connection that waits for answers. */
interface Asking {
  open: number;
  /** When it began to wait for the next answer. */
  since: number;
  end: () => void;
}

/** Statements that come so often are planned once for each connection. */
const OFTEN = 3;
const MOST_NAMES = 200;
const MOST_SEEN = 1_000;

/**
 * Prepares the connections of a pool: what is asked in the same moment is one write to the socket, and what is asked
 * often is prepared once.
 */
export class Connections {
  readonly #asking = new Set<Asking>();
  readonly #seen = new Map<string, { times: number; name?: string }>();
  #names = 0;
  #mostNames = MOST_NAMES;
  #answerMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool) {
    pool.on("connect", (client) => {
      // Whoever waits for an answer is told; and the pool, once it is back there.
      client.on("error", () => undefined);
      this.#prepare(client);
    });
  }

  /** Ends connections that wait longer for an answer: of a server that is gone without a word nothing else tells. */
  limit(answerMs: number): void {
    this.#answerMs = answerMs;
    this.#watch();
  }

  #watch(): void {
    clearInterval(this.#timer);
    if (this.#asking.size === 0 || this.#answerMs === Number.POSITIVE_INFINITY) return;
    const look = (): void => {
      const now = performance.now();
      for (const { open, since, end } of this.#asking) if (open > 0 && now - since > this.#answerMs) end();
    };
    this.#timer = setInterval(look, Math.min(1_000, this.#answerMs / 4)).unref();
  }

  #prepare(client: pg.PoolClient): void {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    const asking: Asking = {
      open: 0,
      since: 0,
      // Alone it would wait for what it has asked.
      end: () => {
        void client.end().catch(() => undefined);
        stream.destroy();
      },
    };
    this.#asking.add(asking);
    this.#watch();
    client.once("end", () => {
      this.#asking.delete(asking);
      this.#watch();
    });
    const ask = client.query.bind(client) as (...given: unknown[]) => unknown;
    const query = (...given: unknown[]): unknown => {
      const [text, values, ...more] = given;
      if (stream.writableCorked === 0) {
        stream.cork();
        process.nextTick(() => stream.uncork());
      }
      const name = typeof text === "string" && Array.isArray(values) ? this.#nameOf(text) : undefined;
      const answer = name === undefined ? ask(...given) : ask({ name, text, values }, ...more);
      if (!(answer instanceof Promise)) return answer;
      if (asking.open === 0) asking.since = performance.now();
      asking.open += 1;
      const heard = (): void => {
        asking.open -= 1;
        asking.since = performance.now();
      };
      answer.then(heard, (error: unknown) => {
        heard();
        if (UNPREPARED.has(codeOf(error) ?? "")) this.#mostNames = 0;
      });
      return answer;
    };
    Object.assign(client, { query });
  }

  /** Undefined for what is not asked often, or whose columns another version may change while it is prepared. */
  #nameOf(text: string): string | undefined {
    if (this.#mostNames === 0) return undefined;
    const known = this.#seen.get(text);
    if (known?.name !== undefined) return known.name;
    const seen = known ?? { times: 0 };
    seen.times += 1;
    if (known === undefined) {
      if (this.#seen.size >= MOST_SEEN) return undefined;
      this.#seen.set(text, seen);
    }
    if (seen.times < OFTEN || this.#names >= this.#mostNames || ALL_COLUMNS.test(text)) return undefined;
    this.#names += 1;
    seen.name = `s${this.#names}`;
    return seen.name;
  }
}

/** Of what is given back, and not within. */
const ALL_COLUMNS = /^\s*select\s+(?:"?\w+"?\.)?\*|\)\s*select\s+\*|returning\s+\*/i;
