import type { ActorId } from "#contract/actor.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import { APPROVAL_STATES, isApprovalState } from "#src/base/approval-states.ts";
import { CountersignError } from "#src/base/errors.ts";
import { httpUrl } from "#src/base/http.ts";
import { personText } from "#src/base/ids.ts";
import { momentText } from "#src/base/moments.ts";
import { allowedText } from "#src/base/plain-statement.ts";
import { didYouMean } from "#src/base/suggest.ts";
import { plainLine } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";

import type { CommandCall } from "../command-line.ts";
import { answer, toJson } from "../output.ts";
import { readSettings } from "../settings.ts";

// These commands talk to the running product: it alone holds the data folder and goes on with the turn.

/** What they read of the API's approvals (contracts/http-api.md). */
interface WireApproval {
  approval_id: string;
  state: ApprovalState;
  statement: { ask: string };
  requested_by: ActorId;
  requested_by_name?: string;
  expires_at: string;
  quorum: number;
  approvals: unknown[];
}

export async function list({ options, flags }: CommandCall): Promise<number> {
  const { state = "pending" } = options;
  if (!isApprovalState(state)) {
    const message = `--state: expected one of ${APPROVAL_STATES.join(", ")}, got ${state}.${didYouMean(state, APPROVAL_STATES)}`;
    throw new CountersignError("wrong_use", message);
  }
  const path = `/approvals?state=${encodeURIComponent(state)}`;
  const { approvals } = await call<{ approvals: WireApproval[] }>(options, path);
  answer(flags, approvals, () => approvals.map(describe).join("\n\n") || `No approval is ${state}.`);
  return 0;
}

export async function show({ args: [id = ""], options, flags }: CommandCall): Promise<number> {
  const approval = await call<WireApproval>(options, `/approvals/${encodeURIComponent(id)}`);
  answer(flags, approval, () => `${describe(approval)}\n${toJson(approval, 2)}`);
  return 0;
}

export function approve(commandCall: CommandCall): Promise<number> {
  return decide(commandCall, "approve");
}

export function deny(commandCall: CommandCall): Promise<number> {
  return decide(commandCall, "deny");
}

async function decide(
  { args: [id = ""], options, flags }: CommandCall,
  decision: "approve" | "deny",
): Promise<number> {
  const { reason } = options;
  const body = { decision, ...(reason === undefined ? {} : { reason }) };
  const path = `/approvals/${encodeURIComponent(id)}/decision`;
  const reply = await call<{ outcome: string; message: string }>(options, path, body);
  answer(flags, reply, () => `${reply.outcome}: ${reply.message}`);
  return ["approved", "recorded", "denied"].includes(reply.outcome) ? 0 : 1;
}

/** What they read of the API's standing approvals. */
interface WireGrant {
  grant_id: string;
  session_id: string;
  tool_id: string;
  args: JsonObject;
  vary: string[];
  reads_of?: string;
  granted_by: string;
  expires_at: string;
  max_uses: number;
  uses: number;
  state: string;
}

/** Standing approvals that are in force. */
export async function listGrants({ options, flags }: CommandCall): Promise<number> {
  const { grants } = await call<{ grants: WireGrant[] }>(options, "/grants");
  const active = grants.filter(({ state }) => state === "active");
  answer(
    flags,
    active,
    () => active.map(describeGrant).join("\n") || "Nothing runs without asking by a standing approval.",
  );
  return 0;
}

export async function revokeGrant({ args: [id = ""], options, flags }: CommandCall): Promise<number> {
  const path = `/grants/${encodeURIComponent(id)}/revoke`;
  const { grant } = await call<{ grant: WireGrant }>(options, path, {});
  answer(flags, grant, () => `Revoked. This asks again: ${whatOf(grant)}`);
  return 0;
}

function describeGrant(grant: WireGrant): string {
  const { grant_id: id, session_id: session, uses, max_uses: most, expires_at: ends, granted_by: by } = grant;
  return plainLine(
    `${id}  ${whatOf(grant)}  in ${session}, until ${ends}, used ${uses} of ${most}, given by ${by}`,
  );
}

function whatOf({ tool_id: toolId, args, vary, reads_of: server }: WireGrant): string {
  const reads = server === undefined ? {} : { reads: { server, seal: "" } };
  return plainLine(allowedText({ toolId, args, vary, ...reads }));
}

/** GET, or POST with a body. */
async function call<Body>(options: CommandCall["options"], path: string, body?: object): Promise<Body> {
  const { http } = await readSettings(options);
  const base = options.url ?? httpUrl(http.host, http.port);
  if (!URL.canParse(path, base)) {
    throw new CountersignError("wrong_use", `--url: expected such as http://127.0.0.1:8787, got ${base}`);
  }
  const token = options.token ?? process.env.COUNTERSIGN_TOKEN;
  const actor = token === undefined && options.as !== undefined ? { actor: options.as } : {};
  const elsewhere = (message: string, cause: unknown): never => {
    throw new CountersignError("not_running", message, { cause });
  };
  const response = await fetch(new URL(path, base), {
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify({ ...body, ...actor }) }),
  }).catch((error: unknown) =>
    elsewhere(`Nothing answers at ${base}. Start the product first, or say where it is with --url.`, error),
  );
  const reply = (await response
    .json()
    .catch((error: unknown) =>
      elsewhere(
        `What answers at ${base} is not Countersign: expected JSON with status ${response.status}. Say where it is with --url.`,
        error,
      ),
    )) as Body & { error?: { code: string; message: string } };
  // A refused decision is an answer with an outcome, not an error.
  if (reply.error === undefined) return reply;
  const { code, message } = reply.error;
  // What the API cannot read is what the command line gave it.
  throw new CountersignError(code === "bad_request" ? "wrong_use" : code, message);
}

/** What is asked for, as people read it on every surface; arguments and ids of tools stand in `show` and `--json`. */
function describe(approval: WireApproval): string {
  const { approval_id: id, state, statement, requested_by: by, requested_by_name: name } = approval;
  const { approvals, expires_at: until, quorum } = approval;
  const facts = [
    en.approval.requestedBy(name ?? personText(by)),
    ...(quorum > 1 ? [en.approval.given(approvals.length, quorum)] : []),
    ...(state === "pending" ? [en.approval.until(momentText(new Date(until)))] : []),
  ];
  const [first, ...more] = [`${id}  ${en.approval.states[state]}`, statement.ask, facts.join(" · ")].map(
    plainLine,
  );
  return [first, ...more.map((line) => `  ${line}`)].join("\n");
}
