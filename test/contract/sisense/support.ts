import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client, InMemoryTransport } from "@modelcontextprotocol/client";

import { createSisenseServer, openSisense, type Sisense } from "#servers/sisense/server.ts";

/** What a call brought. */
export interface Answer {
  // oxlint-disable-next-line typescript/no-explicit-any -- looked at member by member
  data: Record<string, any>;
  text: string;
  isError: boolean;
}

export interface Desk {
  sisense: Sisense;
  /** Lines about changes. */
  audited: Record<string, unknown>[];
  folder: string;
  client: Client;
  call(tool: string, args?: object, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (message: string) => void;
}

/** The server with a client, both in this process, over a data folder of its own or one that is there. */
export async function openDesk(env: Record<string, string> = {}, folder?: string): Promise<Desk> {
  const own = folder ?? mkdtempSync(join(tmpdir(), "sisense-"));
  const audited: Record<string, unknown>[] = [];
  const sisense: Sisense = {
    ...openSisense({ COUNTERSIGN_DATA: own, ...env }),
    audit: (line) => void audited.push(line as Record<string, unknown>),
  };
  const server = createSisenseServer(sisense);
  const client = new Client({ name: "desk", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  const close = async (): Promise<void> => {
    await client.close();
    await server.close();
  };
  return {
    close,
    [Symbol.asyncDispose]: close,
    sisense,
    audited,
    folder: own,
    client,
    async call(tool, args = {}, { signal, onProgress } = {}) {
      const answer = await client.callTool(
        { name: tool, arguments: { ...args } },
        {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: ({ message = "" }) => onProgress(message) }),
        },
      );
      const [first] = answer.content as { text: string }[];
      return {
        data: (answer.structuredContent ?? {}) as Answer["data"],
        text: first?.text ?? "",
        isError: answer.isError === true,
      };
    },
  };
}
