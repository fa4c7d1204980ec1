/**
 * The browser tab of seed 001 (sections 2, 4 and 7), as that document describes it: a session of its own, the history
 * of what was said, connection forms, a set of approved keys that only grows, all of it sent with every turn, and
 * answers read from the event stream.
 */
interface SeedSite {
  domain: string;
  token: string;
  ssl?: boolean;
}

interface SeedPending {
  tool_id: string;
  args: Record<string, unknown>;
  [field: string]: unknown;
}

export interface SeedResult {
  turn_id: string;
  reply: string;
  tool_result: ({ pending_confirmation?: SeedPending } & Record<string, unknown>) | null;
  [field: string]: unknown;
}

export class SeedClient {
  readonly sessionId: string;
  readonly #url: string;
  mode: "chat" | "migration" = "chat";
  tenant: SeedSite | undefined;
  migration: { source: SeedSite; target: SeedSite } | undefined;
  messages: { role: "user" | "assistant"; content: string }[] = [];
  /** `tool_id:normalized_args_json`; never emptied. */
  approvedKeys: Set<string> = new Set();
  /** Whose buttons are on the screen. */
  pending: SeedPending | undefined;
  /** Of the last turn, in the order in which they came. */
  events: { event: string; data: Record<string, unknown> }[] = [];

  constructor(url: string, sessionId: string) {
    this.#url = url;
    this.sessionId = sessionId;
  }

  async send(text: string): Promise<SeedResult> {
    this.messages.push({ role: "user", content: text });
    return this.#turn({ user_input: text });
  }

  /** Presses Approve: the key joins the set, and the turn is called again. */
  async approve(): Promise<SeedResult> {
    if (this.pending === undefined) throw new Error("nothing waits for approval");
    this.approvedKeys.add(keyOf(this.pending));
    return this.#turn({});
  }

  async #turn(said: { user_input?: string }): Promise<SeedResult> {
    const response = await fetch(`${this.#url}/agent/turn`, {
      method: "POST",
      headers: { accept: "text/event-stream, application/json", "content-type": "application/json" },
      body: JSON.stringify({
        session_id: this.sessionId,
        ...said,
        messages: this.messages,
        approved_keys: [...this.approvedKeys],
        mode: this.mode,
        ...(this.mode === "chat" && this.tenant !== undefined && { tenant_config: this.tenant }),
        ...(this.mode === "migration" &&
          this.migration !== undefined && { migration_config: this.migration }),
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    this.events = parseEvents(text);
    const last = this.events.at(-1);
    if (last?.event !== "result") throw new Error(`no result but ${JSON.stringify(last)}`);
    const result = last.data as SeedResult;
    this.messages.push({ role: "assistant", content: result.reply });
    this.pending = result.tool_result?.pending_confirmation;
    return result;
  }
}

/** As Python's `json.dumps(args, sort_keys=True)` writes it, with blanks after commas and colons. */
export function keyOf({ tool_id: tool, args }: SeedPending): string {
  return `${tool}:${normalised(args)}`;
}

function normalised(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(normalised).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}: ${normalised(one)}`).join(", ")}}`;
}

function parseEvents(text: string): SeedClient["events"] {
  return text.split("\n\n").flatMap((block) => {
    const lines = block.split("\n");
    const event = lines.find((line) => line.startsWith("event: "))?.slice(7);
    const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
    if (event === undefined || event === "keepalive") return [];
    return { event, data: JSON.parse(data.join("\n")) as Record<string, unknown> };
  });
}
