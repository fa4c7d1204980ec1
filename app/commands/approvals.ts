import { CountersignError } from "#src/base/errors.ts";
import { httpUrl } from "#src/base/http.ts";
import { plainLine } from "#src/base/text.ts";

import type { CommandCall, OptionValues } from "../command-line.ts";
import { print, printJson, toJson } from "../output.ts";
import { readSettings } from "../settings.ts";

/** What these commands read of the API's approvals (contracts/http-api.md). */
interface WireApproval {
  approval_id: string;
  state: string;
  tool_id: string;
  args: Record<string, unknown>;
  requested_by: string;
  expires_at: string;
  quorum: number;
  approvals: unknown[];
}

/** The commands talk to the running product: it alone holds the data folder and goes on with the turn. */
export async function list({ options }: CommandCall): Promise<number> {
  const state = typeof options.state === "string" ? options.state : "pending";
  const { approvals } = await call<{ approvals: WireApproval[] }>(
    options,
    "GET",
    `/approvals?state=${encodeURIComponent(state)}`,
  );
  if (options.json === true) printJson(approvals);
  else if (approvals.length === 0) print(`No approval is ${state}.`);
  else for (const approval of approvals) print(describe(approval));
  return 0;
}

export async function show({ args: [id = ""], options }: CommandCall): Promise<number> {
  const approval = await call<WireApproval>(options, "GET", `/approvals/${encodeURIComponent(id)}`);
  if (options.json === true) printJson(approval);
  else print(`${describe(approval)}\n${toJson(approval, 2)}`);
  return 0;
}

export function approve(commandCall: CommandCall): Promise<number> {
  return decide(commandCall, "approve");
}

export function deny(commandCall: CommandCall): Promise<number> {
  return decide(commandCall, "deny");
}

async function decide(
  { args: [id = ""], options }: CommandCall,
  decision: "approve" | "deny",
): Promise<number> {
  const reason = typeof options.reason === "string" ? { reason: options.reason } : {};
  const path = `/approvals/${encodeURIComponent(id)}/decision`;
  const reply = await call<{ outcome: string; message: string }>(options, "POST", path, {
    decision,
    ...reason,
  });
  if (options.json === true) printJson(reply);
  else print(`${reply.outcome}: ${reply.message}`);
  return ["approved", "recorded", "denied"].includes(reply.outcome) ? 0 : 1;
}

async function call<Body>(options: OptionValues, method: string, path: string, body?: object): Promise<Body> {
  const settings = await readSettings(options);
  const base =
    typeof options.url === "string" ? options.url : httpUrl(settings.http.host, settings.http.port);
  if (!URL.canParse(path, base)) {
    throw new CountersignError("wrong_use", `--url: expected such as http://127.0.0.1:8787, got ${base}`);
  }
  const token = typeof options.token === "string" ? options.token : process.env.COUNTERSIGN_TOKEN;
  const actor = token === undefined && typeof options.as === "string" ? { actor: options.as } : {};
  let response: Response;
  try {
    response = await fetch(new URL(path, base), {
      method,
      headers: {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify({ ...body, ...actor }) }),
    });
  } catch (error) {
    const message = `Nothing answers at ${base}. Start the product first, or say where it is with --url.`;
    throw new CountersignError("not_running", message, { cause: error });
  }
  const answer = (await response.json().catch((error: unknown) => {
    const message = `What answers at ${base} is not Countersign: expected JSON with status ${response.status}. Say where it is with --url.`;
    throw new CountersignError("not_running", message, { cause: error });
  })) as Body & { error?: { code: string; message: string } };
  // A refused decision is an answer with an outcome, not an error.
  if (answer.error !== undefined) {
    const { code, message } = answer.error;
    // What the API cannot read is what the command line gave it.
    throw new CountersignError(code === "bad_request" ? "wrong_use" : code, message);
  }
  return answer;
}

function describe(approval: WireApproval): string {
  const count = `${approval.approvals.length} of ${approval.quorum}`;
  const { approval_id: id, state, tool_id: tool, args, requested_by: by, expires_at: until } = approval;
  return plainLine(`${id}  ${state}  ${tool} ${toJson(args)}  by ${by}, ${count}, until ${until}`);
}
