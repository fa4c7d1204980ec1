import { PostgresDialect, PostgresQueryCompiler } from "kysely";

/** Kysely's Postgres, for texts as people and tools write them. */
export class TolerantPostgresDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new TolerantQueryCompiler();
  }
}

class TolerantQueryCompiler extends PostgresQueryCompiler {
  /** Postgres refuses NUL in text; what a tool or a person says must not fail for it. */
  protected override appendValue(parameter: unknown): void {
    super.appendValue(typeof parameter === "string" ? parameter.replaceAll("\0", "\uFFFD") : parameter);
  }
}
