import type { CallOutcome, CallRequest } from "#contract/tool.ts";

import { headerFault } from "../base/header.ts";
import { isSecretKey, secretArguments } from "../base/redact.ts";
import { inject } from "./injection.ts";
import { createMask, type Mask, maskOutcome, maskRequest } from "./masking.ts";
import type { McpServerConfig } from "./options.ts";
import type { OutgoingCall } from "./outgoing.ts";
import type { SecretLog } from "./secret-log.ts";

/**
 * Makes calls with what their turn's credentials fill in, and masks these values in all that comes back,
 * and the secrets that the configuration gives the server and those among the arguments: it may say them back
 * as well, as in an error. What is filled in is known here and below only: policy, approval and audit saw the call without.
 */
export function createSecretCalls(
  config: McpServerConfig,
  make: (request: OutgoingCall) => Promise<CallOutcome>,
  log: SecretLog,
): (request: CallRequest) => Promise<CallOutcome> {
  const { name, credentials: mapping = {} } = config;
  const known = configuredSecrets(config);
  if (Object.keys(mapping).length === 0) {
    const ofServer = known.length === 0 ? make : masking(make, createMask(known, []));
    return async (request) => {
      const said = secretArguments(request.args);
      return said.length === 0
        ? ofServer(request)
        : masking(make, createMask([...known, ...said], []))(request);
    };
  }
  return async ({ credentials, ...request }) => {
    const { tool } = request;
    const made = inject(tool, mapping, credentials, config.url !== undefined);
    if (!made.ok && "exposed" in made) {
      const { argument, header, token } = made.exposed;
      const message = `${tool.id} was not called: ${name} wants its argument ${argument} in the header ${header} as well, and servers.${name}.credentials puts ${token} there, which everything on the way could read. Take ${argument} out of that mapping, and give the token as "header:Authorization" or in a way of the server's own.`;
      return { ok: false, data: null, error: { code: "refused", sent: "no", message } };
    }
    if (!made.ok && "unfit" in made) {
      const message = `${tool.id} was not called: servers.${name}.credentials makes the header ${made.unfit} of what this turn came with, which has to be ${headerFault}.`;
      return { ok: false, data: null, error: { code: "refused", sent: "no", message } };
    }
    if (!made.ok) {
      const message = `${tool.id} works on a site of yours, and this turn came without ${made.missing.join(", ")}. Send tenant_config or migration_config with the message (servers.${name}.credentials names what goes where).`;
      return { ok: false, data: null, error: { code: "refused", sent: "no", message } };
    }
    // Whoever planned the call cannot know them: a value there is made up.
    const own = Object.entries(request.args).filter(([key]) => !tool.filled?.some((one) => one.name === key));
    const args = Object.fromEntries(own);
    if (made.secrets.length > 0) log.sent(name, made.secrets);
    const masked = masking(
      make,
      createMask([...known, ...secretArguments(args), ...made.secrets], made.secrets),
    );
    return masked({ ...request, args, injected: made.injected });
  };
}

function masking(
  make: (request: OutgoingCall) => Promise<CallOutcome>,
  mask: Mask,
): (request: OutgoingCall) => Promise<CallOutcome> {
  return async ({ injected, ...request }) => {
    const masked = maskRequest(request, mask);
    return maskOutcome(await make(injected === undefined ? masked : { ...masked, injected }), mask);
  };
}

/**
 * Secrets of its environment and headers: values under a name that says so, and passwords in addresses.
 * What anybody may say as well, such as an address or a word, is none.
 */
export function configuredSecrets({
  env = {},
  headers = {},
  person_headers = {},
}: McpServerConfig): string[] {
  const named = [env, headers, ...Object.values(person_headers)].flatMap((one) => Object.entries(one));
  const values = named.flatMap(([key, value]) => {
    const { password = "" } = URL.parse(value) ?? {};
    const [, token = ""] = /^(?:Bearer|Basic|Token) +(\S+)$/i.exec(value) ?? [];
    const isSecret = isSecretKey(key) && !isCommon(value);
    return [...(isSecret ? [value, token] : []), ...(password === "" ? [] : decoded(password))];
  });
  // Short ones are too common to search for.
  return values.filter((value) => value.length >= 8);
}

/** An address without a password, or a lower-case word. */
function isCommon(value: string): boolean {
  return /^[a-z]+$/.test(value) || (/^https?:\/\//i.test(value) && URL.parse(value)?.password === "");
}

/** As it stands in the address, and as it was meant. */
function decoded(password: string): string[] {
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
