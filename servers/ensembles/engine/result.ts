/** How one agent did. */
export interface AgentResult {
  /** What it answered; a script's whole output. Empty where it answered nothing. */
  response: string;
  status: "success" | "partial" | "failed" | "skipped";
  /** What a script answered in `data`. */
  data?: unknown;
  /** Why it failed, was skipped, or is incomplete. */
  error?: string;
  /** What each item of a fan_out came to, in their order. */
  instances?: AgentResult[];
  /** What came out of the ensemble that it ran. */
  ensemble?: { name: string; status: string; results: Record<string, AgentResult> };
  /** The profile that answered instead of the agent's own. */
  fallback?: string;
  cached?: true;
}

export interface Usage {
  total_tokens: number;
  input_tokens: number;
  output_tokens: number;
  /** Dollars; 0 where no profile says what a token costs. */
  cost_usd: number;
  duration_ms: number;
  model?: string;
  model_profile?: string;
}

export type RunStatus = "running" | "completed" | "completed_with_errors" | "cancelled" | "interrupted";

/** A run, as an artifact keeps it. */
export interface Run {
  ensemble: string;
  status: RunStatus;
  input: { data: string };
  /** By agent, in the order of the file; while it runs only those that have ended. */
  results: Record<string, AgentResult>;
  /** What the last agent answered: the outcome of the whole. */
  deliverable: string | null;
  metadata: {
    agents_used: number;
    /** ISO 8601. */
    started_at: string;
    completed_at: string | null;
    /** Such as "1.08s". */
    duration: string;
    duration_ms: number;
    phases: string[][];
    /** By agent, those that end before it starts. */
    depends_on: Record<string, string[]>;
    /** Agents under way, for a run that was interrupted. */
    running: string[];
    usage: {
      agents: Record<string, Usage>;
      totals: {
        total_tokens: number;
        total_input_tokens: number;
        total_output_tokens: number;
        total_cost_usd: number;
        agents_count: number;
      };
    };
    /** The process that runs it. */
    pid: number;
  };
}

/** The outcome of a run: what the last agent that succeeded answered, of those that nobody waits for. */
export function deliverableOf(
  agents: readonly { name: string; depends_on: readonly string[] }[],
  results: ReadonlyMap<string, AgentResult>,
): AgentResult | undefined {
  const awaited = new Set(agents.flatMap((agent) => agent.depends_on));
  const succeeded = agents.filter(({ name }) =>
    ["success", "partial"].includes(results.get(name)?.status ?? ""),
  );
  const last = succeeded.findLast(({ name }) => !awaited.has(name)) ?? succeeded.at(-1);
  return last === undefined ? undefined : results.get(last.name);
}
