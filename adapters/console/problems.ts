import { hang } from "./render/layout.ts";
import { plainLine, plainText } from "#src/base/terminal-text.ts";
import type { Screen } from "./screen.ts";

/** What a person can do about it, where the message cannot know that it is read in this chat. */
const ADVICE: Record<string, string> = {
  model_unreachable: "See /status. Commands such as /jira work without a model.",
  model_timeout: "Try again, or see /status for the model in use.",
  model_not_found: "See /status for the model in use.",
  model_failed: "Try again, or see /status for the model in use.",
  plan_invalid: "Say it in other words, or name the tool: /tools lists them.",
  server_down: "See /status; the server is tried again by itself.",
  transport: "See /status; the server is tried again by itself.",
  timeout: "Try again, perhaps with a narrower question.",
  too_large: "Ask for less at once.",
};

/** An error in the chat: what happened, its code, and what to do. */
export function printProblem(screen: Screen, problem: { code: string; message: string }): void {
  const { ink } = screen;
  const width = Math.min(screen.columns, 100);
  const code = ink.paint("gray", `(${plainLine(problem.code)})`);
  const message = ink.paint("red", plainText(problem.message));
  screen.print(hang(ink.paint("red", "✖ "), `${message} ${code}`, width).join("\n"));
  const advice = ADVICE[problem.code];
  if (advice !== undefined) screen.print(hang("  ", ink.paint("gray", advice), width).join("\n"));
}

/** Anything thrown, as code and message. */
export function problemOf(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return { code: typeof code === "string" ? code : "internal", message };
}
