import { READABLE, SOURCE } from "../words.ts";
import type { Fault } from "./faults.ts";

/** A message of a person, with what a small product made of it. */
export interface Entry {
  id: string;
  conversation: string;
  who: string;
  text: string;
  state: "running" | "pending" | "over";
  /** The messages that answer it. */
  shown: string[];
  live: string[];
  whole: string;
  change: { name: string; value: string };
  /** The gate that its call waits for. */
  gate: string;
  told: Map<string, string>;
}

/** A product of a few commands, all in memory, that has the faults it is told to have. */
export class ScriptedCore {
  readonly effects: string[] = [];
  readonly entries: Entry[] = [];
  readonly #fault: Fault | undefined;
  readonly #gates = new Set<string>();
  /** What was heard before it began anew. */
  readonly #old = new Set<Entry>();
  #isAnew = false;

  constructor(fault: Fault | undefined) {
    this.#fault = fault;
  }

  has(fault: Fault): boolean {
    return this.#fault === fault;
  }

  /** One delivery of a message. */
  hear(message: Pick<Entry, "id" | "conversation" | "who" | "text">): Entry {
    const known = this.entries.find(({ id }) => id === message.id);
    const isForgotten = this.has(
      this.#isAnew ? "forgets at its end what it heard" : "runs what is delivered twice",
    );
    if (known !== undefined && !isForgotten) return known;
    const entry: Entry = {
      ...message,
      state: "running",
      shown: ["Working"],
      live: [],
      whole: "",
      change: { name: "", value: "" },
      gate: "",
      told: new Map(),
    };
    this.entries.push(entry);
    this.#run(entry);
    return entry;
  }

  /** It ended in whatever way and begins again. */
  beginAnew(): void {
    this.#isAnew = true;
    for (const entry of this.entries) {
      this.#old.add(entry);
      if (entry.state === "pending" && this.has("loses at its end what waits")) entry.state = "over";
      if (entry.state === "running" && this.has("loses at its end what runs")) entry.state = "over";
    }
    this.#goOn();
  }

  open(gate: string): void {
    this.#gates.add(gate);
  }

  /** Calls whose gate is open come to their end. */
  #goOn(): void {
    for (const entry of this.entries) {
      if (entry.state !== "running" || !this.#gates.has(entry.gate)) continue;
      if (this.has("posts the answer beside the status") && !this.#isAnew) entry.shown.push("and here it is");
      this.#end(entry, `finished ${entry.gate}`);
    }
  }

  /** Time passes, as it does for a person who looks again. */
  look(): void {
    this.#goOn();
  }

  approve(entry: Entry, people: readonly string[]): void {
    const { name } = entry.change;
    for (const who of people) {
      if (entry.state !== "pending") {
        if (this.has("makes a change for each approval")) this.#put(entry);
        if (!this.has("says nothing to the second who approves")) entry.told.set(who, "already approved");
      } else if (name === "guarded" && who !== "chloe" && !this.has("lets a stranger approve")) {
        if (!this.has("does not tell a stranger why")) entry.told.set(who, "only leads may");
        if (this.has("closes a request that a stranger pressed")) entry.state = "over";
      } else {
        const isMade =
          this.has("makes a change before it is approved") || this.has("does not make what was approved");
        if (!isMade) this.#put(entry);
        this.#end(entry, `stored ${entry.change.value} under ${name}`);
      }
    }
  }

  deny(entry: Entry, reason: string): void {
    if (this.has("makes what was denied")) this.#put(entry);
    this.#end(entry, this.has("keeps the reason of a denial to itself") ? "Denied." : `Denied: ${reason}`);
  }

  stop(entry: Entry, who: string): void {
    if (this.has("does not stop")) return;
    if (!this.has("stops and lets the call go on")) this.effects.push(`cancelled ${entry.gate}`);
    this.#end(entry, this.has("does not say who stopped it") ? "Stopped." : `Stopped by ${who}.`);
  }

  fill(entry: Entry, value: string): void {
    entry.change.value = this.has("loses what was filled in") ? "" : value;
    this.#ask(entry);
  }

  #run(entry: Entry): void {
    const [, command = "", rest = ""] = /^\/do (\w+) (.*)$/.exec(entry.text) ?? [];
    const args: Record<string, string> = Object.fromEntries(
      rest.split(" ").map((pair): [string, string] => [pair.split("=")[0] ?? "", pair.split("=")[1] ?? ""]),
    );
    if (command === "issue") this.#issue(entry, args.mark ?? "");
    else if (command === "rows") {
      const rows = Array.from({ length: Number(args.count) }, (_, index) => `ROW-${index}.`);
      entry.whole = rows.slice(0, this.has("drops the tail of a long result") ? -1 : undefined).join("\n");
      this.#end(entry, rows.slice(0, 20).join("\n"));
    } else if (command === "work") {
      entry.gate = args.gate ?? "";
      this.effects.push(`began ${entry.gate}`);
      if (!this.has("shows no progress")) entry.shown = ["half way there"];
    } else {
      entry.change = { name: args.name ?? "", value: args.value ?? "" };
      if (entry.change.value !== "") return this.#ask(entry);
      if (this.has("sends a call that lacks an argument")) this.#put(entry);
      this.#end(entry, "I still need value");
    }
  }

  #issue(entry: Entry, mark: string): void {
    this.effects.push(`read ${mark}`);
    if (!this.has("leaves out the link")) entry.live.push(SOURCE);
    if (this.has("does not escape data")) entry.live.push("https://evil.example/a");
    const words = this.has("drops a mark of the data")
      ? READABLE.join("\n").replaceAll("*", "")
      : READABLE.join("\n");
    this.#end(entry, `DEMO-1\n${words}\nmarked ${mark}`);
  }

  #ask(entry: Entry): void {
    const { name, value } = entry.change;
    if (this.has("makes a change before it is approved")) this.#put(entry);
    const sentence = this.has("does not name what waits") ? "Put something?" : `Put “${name}”?`;
    entry.shown = [this.has("does not say what will stand there") ? sentence : `${sentence} Value: ${value}`];
    entry.state = "pending";
  }

  #put({ change }: Entry): void {
    this.effects.push(`put ${change.name}=${change.value}`);
  }

  #end(entry: Entry, text: string): void {
    if (this.has("answers anew after its end") && this.#old.has(entry)) entry.shown.push(text);
    else entry.shown = [...entry.shown.slice(1), text];
    entry.state = "over";
  }
}
