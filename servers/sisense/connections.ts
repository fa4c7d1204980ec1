import { ToolFailure } from "#servers/kit/tool.ts";

interface Source {
  provider: string;
  /** Names of the connection's parameters by those that people give; "!": needed. */
  parameters: Readonly<Record<string, string>>;
  /** What is always so. */
  fixed?: Readonly<Record<string, unknown>>;
}

const SOURCES = {
  ATHENA: {
    provider: "athena",
    parameters: {
      "region!": "AwsRegion",
      "s3_output_location!": "S3OutputLocation",
      "aws_access_key!": "userName",
      "aws_secret_key!": "password",
      schema: "SchemaName",
      additional_parameters: "AdditionalParameters",
    },
    fixed: { Basic: true, UseDynamicSchema: false },
  },
  BIGQUERY: {
    provider: "GoogleBigQuery",
    parameters: {
      "service_account_key_path!": "serviceAccountKeyPath",
      database: "DB",
      additional_parameters: "AdditionalParameters",
    },
    fixed: { googleAccount: false, serviceAccount: true },
  },
  DATABRICKS: {
    provider: "Databricks",
    parameters: { "connection_string!": "connectionString", "token!": "password", schema: "Schema" },
    fixed: { UseDynamicSchema: false },
  },
  POSTGRESQL: {
    provider: "PostgreSQL",
    parameters: {
      "server!": "Server",
      "username!": "UserName",
      "password!": "Password",
      database: "Database",
    },
    fixed: { EncryptConnection: true },
  },
  REDSHIFT: {
    provider: "RedShift",
    parameters: {
      "server!": "Server",
      "username!": "UserName",
      "password!": "Password",
      default_database: "DefaultDatabase",
      additional_parameters: "AdditionalParameters",
    },
    fixed: { UseDynamicSchema: false, EncryptConnection: true },
  },
  SNOWFLAKE: {
    provider: "SnowflakeJDBC",
    parameters: {
      "connection_string!": "connectionString",
      "username!": "userName",
      "password!": "password",
      database: "Database",
    },
  },
} as const satisfies Record<string, Source>;

export const DATASOURCES = Object.keys(SOURCES) as (keyof typeof SOURCES)[];

/** What Sisense wants for a connection. Throws `missing_arguments` with everything that is missing. */
export function connectionPayload(
  type: keyof typeof SOURCES,
  given: Readonly<Record<string, unknown>>,
): object {
  const { provider, parameters, fixed = {} }: Source = SOURCES[type];
  const wanted = Object.entries({ "name!": "", ...parameters }).map(([key, as]) => ({
    key: key.replace("!", ""),
    isNeeded: key.endsWith("!"),
    as,
  }));
  const missing = wanted.filter(({ key, isNeeded }) => isNeeded && (given[key] ?? "") === "");
  if (missing.length > 0) {
    const names = missing.map(({ key }) => key).join(", ");
    throw new ToolFailure("missing_arguments", `connection_params of ${type} needs ${names}`);
  }
  const own = wanted.filter(({ as, key }) => as !== "" && given[key] !== undefined);
  return {
    enabled: true,
    createdByUser: true,
    provider,
    name: given["name"],
    description: given["description"] ?? "",
    parameters: { ...fixed, ...Object.fromEntries(own.map(({ key, as }) => [as, given[key]])) },
    supportedModelTypes: ["LIVE", "EXTRACT"],
  };
}
