import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Where the processes of a test run ask for what they share. */
const DOOR = "TEST_SHARED_URL";

export interface Shared {
  /** What a process needs to reach it. */
  address: string;
  stop(): Promise<unknown>;
}

/**
 * For the process that starts the others: each service is started when one of them first asks for it by its name.
 * Returns what ends them all.
 */
export async function offer(
  services: Readonly<Record<string, () => Promise<Shared>>>,
): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Shared>>();
  const door = createServer(({ url = "" }, answer) => {
    const name = url.slice(1);
    const service = started.get(name) ?? services[name]?.();
    if (service === undefined) {
      answer.writeHead(404).end(`nobody offers ${name}`);
      return;
    }
    started.set(name, service);
    service.then(
      ({ address }) => answer.end(address),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  process.env[DOOR] = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  return async () => {
    door.close();
    for (const service of started.values()) await (await service).stop();
  };
}

/** The address of a service of this run; undefined where nobody offers any. */
export async function sharedAddress(name: string): Promise<string | undefined> {
  const door = process.env[DOOR];
  if (door === undefined) return undefined;
  const answer = await fetch(`${door}/${name}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
