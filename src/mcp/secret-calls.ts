import type { CallOutcome, CallRequest } from "#contract/tool.ts";

import { inject } from "./injection.ts";
import { createMask, maskOutcome, maskRequest } from "./masking.ts";
import type { McpServerConfig } from "./options.ts";
import type { OutgoingCall } from "./outgoing.ts";
import type { SecretLog } from "./secret-log.ts";

/**
 * Makes calls with what their turn's credentials fill in, and masks these values in all that comes back.
 * What is filled in is known here and below only: policy, approval and audit saw the call without.
 */
export function createSecretCalls(
  { name, credentials: mapping = {} }: McpServerConfig,
  make: (request: OutgoingCall) => Promise<CallOutcome>,
  log: SecretLog,
): (request: CallRequest) => Promise<CallOutcome> {
  if (Object.keys(mapping).length === 0) return make;
  return async ({ credentials, ...request }) => {
    const { tool } = request;
    const made = inject(tool, mapping, credentials);
    if (!made.ok) {
      const message = `${tool.id} works on a site of yours, and this turn came without ${made.missing.join(", ")}. Send tenant_config or migration_config with the message (servers.${name}.credentials names what goes where).`;
      return { ok: false, data: null, error: { code: "refused", sent: "no", message } };
    }
    // Whoever planned the call cannot know them: a value there is made up.
    const own = Object.entries(request.args).filter(([key]) => !tool.filled?.some((one) => one.name === key));
    const args = Object.fromEntries(own);
    if (made.secrets.length === 0) return make({ ...request, args, injected: made.injected });
    log.sent(name, made.secrets);
    const mask = createMask(made.secrets);
    const outcome = await make({ ...maskRequest({ ...request, args }, mask), injected: made.injected });
    return maskOutcome(outcome, mask);
  };
}
