import { isSecretKey } from "../base/redact.ts";
import type { Settings } from "../settings/load.ts";

/** Every secret the process knows of, so that none can leave by log, audit or card. */
export function secretsOf(settings: Settings, env: NodeJS.ProcessEnv): string[] {
  const fromEnv = Object.entries(env).flatMap(([key, value]) =>
    value !== undefined && isSecretKey(key) ? [value] : [],
  );
  const fromServers = settings.servers.flatMap((server) =>
    Object.entries(server.env).flatMap(([key, value]) => (isSecretKey(key) ? [value] : [])),
  );
  // What a header holds is taken for a secret, with and without its scheme (`Bearer …`).
  const fromHeaders = settings.servers.flatMap((server) =>
    [server.headers, ...Object.values(server.person_headers)]
      .flatMap((headers) => Object.values(headers))
      .flatMap((value) => [value, value.split(" ").at(-1) ?? value]),
  );
  const fromOAuth = settings.servers.flatMap((server) => server.oauth?.client_secret ?? []);
  return [
    ...fromEnv,
    ...fromServers,
    ...fromHeaders,
    ...fromOAuth,
    ...settings.http.tokens.map((one) => one.token),
    settings.model.gemini.api_key,
    settings.model.openai.api_key,
    settings.slack.bot_token,
    settings.slack.app_token,
    settings.slack.signing_secret,
    settings.slack.client_secret,
    settings.discord.token,
  ];
}
