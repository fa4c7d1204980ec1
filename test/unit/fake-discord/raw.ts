import { once } from "node:events";

import { WebSocket } from "ws";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";

export interface Answer {
  status: number;
  headers: Headers;
  /** Empty without a body. */
  body: Record<string, unknown>;
}

/** A request as a bot sends it, without a library in between. */
export async function request(
  discord: FakeDiscord,
  method: string,
  path: string,
  body?: unknown,
  token: string | undefined = discord.app.token,
): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bot ${token}` };
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers["content-type"] = "application/json";
  const response = await fetch(`${discord.apiUrl}/v10${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(text || "{}") as Answer["body"],
  };
}

/** The errors of a 50035, flattened to `path: CODE`. */
export function problems({ body }: Answer): string[] {
  const walk = (node: Record<string, unknown>, path: string): string[] =>
    Object.entries(node).flatMap(([key, value]) =>
      key === "_errors"
        ? (value as { code: string }[]).map(({ code }) => `${path}: ${code}`)
        : walk(value as Record<string, unknown>, path === "" ? key : `${path}.${key}`),
    );
  const { code, errors } = body as { code: number; errors?: Record<string, unknown> };
  return code === 50_035 ? walk(errors ?? {}, "") : [`${code}`];
}

export interface RawGateway {
  socket: WebSocket;
  frames: { op: number; t: string | null; s: number | null; d: Record<string, unknown> }[];
  send(op: number, d: unknown): void;
  closed: Promise<number>;
}

export async function connect(discord: FakeDiscord): Promise<RawGateway> {
  const { body } = await request(discord, "GET", "/gateway/bot");
  const socket = new WebSocket(`${String(body.url)}?v=10&encoding=json`);
  const frames: RawGateway["frames"] = [];
  socket.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as RawGateway["frames"][number]);
    discord.world.changed();
  });
  const closed = once(socket, "close").then(([code]) => code as number);
  await once(socket, "open");
  await discord.until(() => frames[0]?.op === 10);
  return { socket, frames, closed, send: (op, d) => socket.send(JSON.stringify({ op, d })) };
}

export function identify(discord: FakeDiscord, more: object = {}): object {
  const properties = { os: "linux", browser: "test", device: "test" };
  return { token: discord.app.token, intents: 513, properties, ...more };
}
