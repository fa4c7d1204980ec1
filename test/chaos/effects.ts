import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** One call as the counter server saw it. */
interface SeenCall {
  tool: string;
  id: string;
  /** The product process that sent it. */
  owner: string;
}

/** What the counter server wrote: the calls that arrived, and how often each id took effect. */
export interface Effects {
  begun: SeenCall[];
  /** Times a call with this id arrived. */
  sent(id: string): number;
  /** Times a call with this id took effect. */
  happened(id: string): number;
}

export async function readEffects(folder: string): Promise<Effects> {
  const [begun, done] = await Promise.all([lines(folder, "begun.log"), lines(folder, "effects.log")]);
  const sent = countById(begun);
  const happened = countById(done);
  return { begun, sent: (id) => sent.get(id) ?? 0, happened: (id) => happened.get(id) ?? 0 };
}

async function lines(folder: string, file: string): Promise<SeenCall[]> {
  const text = await readFile(join(folder, file), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [tool = "", id = "", owner = ""] = line.split(" ");
      return { tool, id, owner };
    });
}

function countById(calls: SeenCall[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of calls) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
