import { createRest, type RestAuth } from "#servers/kit/rest.ts";

import type { JiraBackend } from "../backend.ts";
import { createRestBackend } from "./backend.ts";
import { createCloudDialect } from "./cloud.ts";
import { createDataCenterDialect } from "./data-center.ts";

/** Jira at a URL: an email with an API token means Cloud, a personal access token Data Center. */
export function createRemoteBackend(baseUrl: string, auth: RestAuth): JiraBackend {
  const rest = createRest({ service: "Jira", baseUrl, auth });
  const dialect = auth.kind === "basic" ? createCloudDialect(rest) : createDataCenterDialect(rest);
  return createRestBackend(rest, dialect);
}
