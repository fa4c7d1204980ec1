import {
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  SqliteAdapter,
  SqliteDialect,
} from "kysely";

/**
 * Kysely's SQLite dialect with its one connection handed out in the order it was asked for. Kysely's
 * own lock is not fair: under a backlog of turns a new message waited many seconds for its turn to be
 * recorded, while a platform wants it acknowledged within three.
 */
export class FairSqliteDialect extends SqliteDialect {
  override createDriver(): Driver {
    return inOrder(super.createDriver());
  }

  override createAdapter(): DialectAdapter {
    return new OrderedAdapter();
  }
}

/** Switches Kysely's own lock off: the driver below waits instead. */
class OrderedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function inOrder(driver: Driver): Driver {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const fair: Pick<Driver, "acquireConnection" | "releaseConnection"> = {
    async acquireConnection(options): Promise<DatabaseConnection> {
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
      isTaken = true;
      return driver.acquireConnection(options);
    },
    async releaseConnection(connection, options): Promise<void> {
      await driver.releaseConnection(connection, options);
      // Handed over while it is still taken, so that nobody can come in between.
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
  return new Proxy(driver, {
    get(target, key) {
      if (key === "acquireConnection" || key === "releaseConnection") return fair[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
