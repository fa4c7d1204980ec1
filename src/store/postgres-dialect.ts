import {
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";

import { fromDriver } from "./store-errors.ts";

/** Kysely's Postgres, for texts as people and tools write them, and with our codes for its troubles. */
export class TolerantPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new TellingPostgresDriver(this.#config);
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return new TolerantQueryCompiler();
  }
}

class TellingPostgresDriver extends PostgresDriver {
  readonly #told = new WeakSet<DatabaseConnection>();

  override async acquireConnection(
    ...options: Parameters<PostgresDriver["acquireConnection"]>
  ): Promise<DatabaseConnection> {
    let connection: DatabaseConnection;
    try {
      connection = await super.acquireConnection(...options);
    } catch (error) {
      throw fromDriver(error);
    }
    if (!this.#told.has(connection)) {
      this.#told.add(connection);
      // The driver knows its connections by identity, so this one is told and not wrapped.
      const execute = connection.executeQuery.bind(connection);
      connection.executeQuery = async <Row>(
        ...query: Parameters<DatabaseConnection["executeQuery"]>
      ): Promise<QueryResult<Row>> => {
        try {
          return await execute<Row>(...query);
        } catch (error) {
          throw fromDriver(error);
        }
      };
    }
    return connection;
  }
}

class TolerantQueryCompiler extends PostgresQueryCompiler {
  /** Postgres refuses NUL in text; what a tool or a person says must not fail for it. */
  protected override appendValue(parameter: unknown): void {
    super.appendValue(typeof parameter === "string" ? parameter.replaceAll("\0", "\uFFFD") : parameter);
  }
}
