import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

import { answer, ToolFailure } from "../../kit/tool.ts";
import { checkName } from "../store/paths.ts";

interface Facts<Shape extends z.ZodRawShape> {
  title: string;
  description: string;
  input: Shape;
  /** What it does to what is there. */
  effect: "read" | "write" | "delete" | "run";
}

/** Adds a tool whose answer is data, and the same as JSON in its text. */
export type AddTool = <Shape extends z.ZodRawShape>(
  name: string,
  facts: Facts<Shape>,
  run: (args: z.infer<z.ZodObject<Shape>>, context: ServerContext) => Promise<object> | object,
) => void;

export function toolAdder(server: McpServer): AddTool {
  return (name, { title, description, input, effect }, run) => {
    const inputSchema = z.strictObject(input);
    const annotations = {
      readOnlyHint: effect === "read",
      destructiveHint: effect === "delete",
      idempotentHint: effect === "read",
      // A run asks models and runs code; the rest stays within the folders.
      openWorldHint: effect === "run",
    };
    server.registerTool(
      name,
      { title, description, inputSchema, annotations },
      (args: unknown, context): Promise<CallToolResult> =>
        withFile(() => run(args as z.infer<z.ZodObject<typeof input>>, context)),
    );
  };
}

/** An answer with a file beside it, which people get as one. */
export class WithFile {
  readonly data: object;
  readonly file: { uri: string; mimeType: string; text: string };

  constructor(data: object, file: WithFile["file"]) {
    this.data = data;
    this.file = file;
  }
}

async function withFile(work: () => Promise<object> | object): Promise<CallToolResult> {
  let file: WithFile["file"] | undefined;
  const result = await answer(async () => {
    const done = await work();
    const data = done instanceof WithFile ? done.data : done;
    file = done instanceof WithFile ? done.file : undefined;
    return { data, text: JSON.stringify(data, null, 1) };
  });
  if (file === undefined) return result;
  const { text, ...about } = file;
  const resource = { ...about, blob: Buffer.from(text).toString("base64") };
  return { ...result, content: [...result.content, { type: "resource", resource }] };
}

export const confirmSchema: z.ZodBoolean = z.boolean().describe("Has to be true: what is deleted is gone");

export function requireConfirmed(isConfirmed: boolean, what: string): void {
  if (!isConfirmed)
    throw new ToolFailure("not_confirmed", `expected confirm: true to delete ${what}; nothing was deleted`);
}

/** A name of a file that is yet to be made; what is wrong with it is said by the tool, so that people read why. */
export const nameSchema: z.ZodString = z.string().min(1).max(400);

/** The two parts of `ensemble/timestamp`. Throws a ToolFailure for what is none. */
export function artifactOf(id: string): { ensemble: string; run: string } {
  const [ensemble = "", run = "", ...more] = id.split("/");
  if (more.length > 0 || run === "") {
    throw new ToolFailure(
      "bad_artifact_id",
      `expected an artifact as ENSEMBLE/YYYYMMDD-HHMMSS-mmm, got ${JSON.stringify(id.slice(0, 120))}`,
    );
  }
  return { ensemble: checkName("an ensemble", ensemble), run };
}
