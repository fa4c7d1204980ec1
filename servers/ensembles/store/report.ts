import { readable } from "../engine/input.ts";
import type { AgentResult, Run } from "../engine/result.ts";

/** A run as Markdown that people read: the outcome first, then each agent. */
export function reportOf(run: Run): string {
  const { ensemble, status, input, results, deliverable, metadata } = run;
  const { totals, agents } = metadata.usage;
  const cost = totals.total_cost_usd === 0 ? "" : `, $${totals.total_cost_usd.toFixed(4)}`;
  const parts = [
    `# ${ensemble}`,
    `${headline(run)} ${metadata.started_at}, ${metadata.duration}, ${totals.total_tokens} tokens${cost}.`,
    ...(deliverable === null || deliverable === "" ? [] : ["## Outcome", deliverable]),
    "## Input",
    quoted(input.data === "" ? "(none)" : input.data),
    "## Agents",
    ...Object.entries(results).flatMap(([name, result]) => {
      const usage = agents[name];
      const facts = [
        usage?.model ?? "",
        usage === undefined ? "" : `${(usage.duration_ms / 1000).toFixed(2)}s`,
        usage?.total_tokens ? `${usage.total_tokens} tokens` : "",
      ];
      const about = facts.filter((fact) => fact !== "").join(", ");
      return [
        `### ${name}: ${result.status}${about === "" ? "" : ` (${about})`}`,
        readable(result) === deliverable ? "(the outcome above)" : bodyOf(result),
      ];
    }),
    ...(status === "running" || status === "interrupted"
      ? [`Under way: ${metadata.running.join(", ") || "nothing"}.`]
      : []),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** In a few words, such as "Completed: 3 of 3 agents." */
export function headline({ status, results, metadata }: Run): string {
  const words: Record<Run["status"], string> = {
    running: "Running",
    completed: "Completed",
    completed_with_errors: "Completed with errors",
    cancelled: "Cancelled",
    interrupted: "Interrupted: its process ended in the middle",
  };
  const succeeded = Object.values(results).filter((result) => result.status === "success").length;
  return `${words[status]}: ${succeeded} of ${metadata.agents_used} agents succeeded.`;
}

function bodyOf(result: AgentResult): string {
  const error = result.error === undefined ? "" : `> ${result.error.replaceAll("\n", "\n> ")}`;
  return [error, readable(result)].filter((part) => part !== "").join("\n\n");
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
