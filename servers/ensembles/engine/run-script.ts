import { spawn } from "node:child_process";

import { messageOf } from "../../kit/tool.ts";
import { asText, isObject, parsedJson } from "./references.ts";
import { commandOf, hasSandbox, type Launch, scriptEnvironment } from "./sandbox.ts";

/** What a script gets on its standard input. */
export interface ScriptInput {
  agent_name: string;
  input_data: unknown;
  context: Record<string, unknown>;
  dependencies: Record<string, unknown>;
}

export interface ScriptCall extends Launch {
  input: ScriptInput;
  parameters: Record<string, unknown>;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ScriptAnswer {
  success: boolean;
  /** What it answered in `data`; the whole of another object, and the text of what is no JSON. */
  data: unknown;
  error?: string;
  /** What it wrote, as it is. */
  output: string;
  sandboxed: boolean;
}

export type RunScript = (call: ScriptCall) => Promise<ScriptAnswer>;

/** Bytes that a script may answer; one that writes more is ended. */
const MOST_OUTPUT = 1_000_000;
const MOST_WORDS = 4_000;
/** Longest value in a variable, in bytes, which Linux bounds; a script has the whole on its standard input. */
const MOST_VARIABLE = 100_000;

/**
 * Runs a script as the contract has it: JSON on stdin and in variables, `{success, data, error}` on stdout. Without
 * network and in the sandbox where there is one, with the allow-listed environment always. It and all it started end
 * with the call: after its time, when it floods, when it is cancelled. Rejects with the signal's reason alone.
 */
export function createScriptRunner(env: NodeJS.ProcessEnv): RunScript {
  return async (call) => {
    call.signal.throwIfAborted();
    const isSandboxed = hasSandbox();
    const parameters = JSON.stringify(call.parameters);
    const size = Buffer.byteLength(parameters);
    if (size > MOST_VARIABLE) {
      // Half of a JSON would be worse than none: they are nowhere but in their variable.
      const error = `parameters: expected at most ${MOST_VARIABLE} bytes as JSON, got ${size}: put what is long into the input`;
      return { success: false, data: null, error, output: "", sandboxed: isSandboxed };
    }
    const [program = "", ...args] = commandOf(call, isSandboxed, env.PATH ?? "");
    const child = spawn(program, args, {
      cwd: call.cwd,
      env: scriptEnvironment(env, {
        INPUT_DATA: cut(JSON.stringify(call.input)),
        INPUT_TEXT: cut(asText(call.input.input_data).replaceAll("\0", "")),
        AGENT_PARAMETERS: parameters,
      }),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
    };
    return new Promise((resolve, reject) => {
      const output: Buffer[] = [];
      let bytes = 0;
      let words = "";
      let ended: string | undefined;
      const end = (why: string): void => {
        ended ??= why;
        kill();
      };
      const timer = setTimeout(
        () => end(`ran longer than ${call.timeoutMs / 1000} s and was ended: set timeout_seconds`),
        call.timeoutMs,
      );
      const onAbort = (): void => end("cancelled");
      call.signal.addEventListener("abort", onAbort, { once: true });
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_OUTPUT) end(`wrote more than ${MOST_OUTPUT} bytes and was ended`);
        else output.push(chunk);
      });
      child.stderr.on("data", (chunk: Buffer) => {
        words = (words + chunk.toString()).slice(-MOST_WORDS);
      });
      // A script need not read its input.
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(call.input));
      const settle = (code: number | null, failure?: string): void => {
        clearTimeout(timer);
        call.signal.removeEventListener("abort", onAbort);
        // What it left behind in its group must not outlive it.
        kill();
        if (call.signal.aborted) return reject(call.signal.reason as Error);
        const text = Buffer.concat(output).toString();
        const why = failure ?? (ended === undefined ? undefined : `the script ${ended}`);
        resolve({ ...answerOf(text, why, code, words), output: text.trim(), sandboxed: isSandboxed });
      };
      child.once("error", (error) => settle(null, `${program} cannot be started: ${messageOf(error)}`));
      child.once("exit", (code) => {
        // A child of its own that it left behind may hold the pipe open.
        const late = setTimeout(() => child.stdout.destroy(), 200);
        kill();
        child.once("close", () => {
          clearTimeout(late);
          settle(code);
        });
      });
    });
  };
}

/** As much of a text as a variable holds, without half a character at its end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, MOST_VARIABLE);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

function answerOf(
  output: string,
  ended: string | undefined,
  code: number | null,
  words: string,
): Omit<ScriptAnswer, "output" | "sandboxed"> {
  if (ended !== undefined) return { success: false, data: null, error: ended };
  const json = parsedJson(output.trim());
  const said = words.trim() === "" ? "" : `: ${words.trim().split("\n").slice(-4).join(" | ")}`;
  if (isObject(json) && typeof json.success === "boolean") {
    const { success, data = null, error } = json;
    if (success && code === 0) return { success, data };
    return {
      success: false,
      data,
      error: typeof error === "string" && error !== "" ? error : `the script failed${said}`,
    };
  }
  if (code !== 0)
    return { success: false, data: null, error: `the script ended with code ${code ?? "none"}${said}` };
  return { success: true, data: json === undefined ? output.trim() : json };
}
