import { holds } from "../product.ts";
import type { OpenSurface, Said, Surface } from "../surface.ts";
import { type Entry, ScriptedCore } from "./core.ts";
import type { Fault } from "./faults.ts";

/** A surface in memory with every capability, and with one fault or none. Waiting in vain ends at once. */
export function brokenSurface(fault?: Fault): Surface {
  return {
    name: "broken",
    has: ["redelivery", "people", "forms"],
    async open() {
      const core = new ScriptedCore(fault);
      const entries = new Map<Said, Entry>();
      const expected = (what: string, isSo: boolean): void => {
        if (!isSo) throw new Error(`expected ${what}`);
      };
      const surface: OpenSurface = {
        effects: {
          count: (line) => core.effects.filter((written) => written === line).length,
          happened: async (line) => expected(line, core.effects.includes(line)),
          open: (gate) => core.open(gate),
        },
        async say(who, text, { in: before, times = 1 } = {}) {
          const id = `message-${core.entries.length}`;
          const conversation = before === undefined ? id : (entries.get(before)?.conversation ?? id);
          const message = { id, conversation, who, text };
          const [entry] = Array.from({ length: times }, () => core.hear(message));
          if (entry === undefined) throw new Error("expected at least one delivery");
          const said = saidOf(core, entry, expected);
          entries.set(said, entry);
          return said;
        },
        async redeliver(said) {
          const entry = entries.get(said);
          if (entry !== undefined) core.hear(entry);
        },
        kill: async () => {},
        restart: async () => core.beginAnew(),
        stop: async () => (core.has("ends with an error") ? 1 : 0),
        close: async () => {},
      };
      return surface;
    },
  };
}

function saidOf(core: ScriptedCore, entry: Entry, expected: (what: string, isSo: boolean) => void): Said {
  const text = (): string => entry.shown.join("\n");
  return {
    text,
    async until(words) {
      core.look();
      expected(`${String(words)} in ${text()}`, holds(text(), words));
    },
    live: async () => entry.live,
    answers: () =>
      core.entries
        .filter(({ conversation }) => conversation === entry.conversation)
        .reduce((sum, { shown }) => sum + shown.length, 0),
    whole: async () => entry.whole,
    waits: async () => expected("a request", entry.state === "pending"),
    isOver: async () => expected("an answer", entry.state === "over"),
    approve: async (...people) => core.approve(entry, people),
    deny: async (_, reason) => core.deny(entry, reason),
    told: async (who, words) => expected(`${who} to be told`, holds(entry.told.get(who) ?? "", words)),
    stop: async (who) => core.stop(entry, who),
    fill: async (_, { Value: value = "" }) => core.fill(entry, value),
  };
}
