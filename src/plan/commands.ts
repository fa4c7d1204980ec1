import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import type { CommandInfo } from "#contract/core.ts";

import { didYouMean } from "../base/suggest.ts";
import { toolById } from "../base/tool-names.ts";
import { toolTitle, toolWords } from "../base/tool-words.ts";
import { type Slot, fits, sameWord, toSlots, toValue } from "./slot.ts";

export type ParsedCommand =
  /** `args` may lack required arguments: they are asked for like those of any other plan. `set`: by the configuration. */
  | { kind: "call"; command: CommandInfo; tool: Tool; args: JsonObject; set: JsonObject }
  /** `message` is `problem` and the usages in one line. */
  | { kind: "help"; command: CommandInfo; message: string; problem?: string };

interface Word {
  text: string;
  /** Without the quotes around it or around its value. */
  value: string;
  quoted: boolean;
}

/**
 * Maps `/jira search login` to a call by configuration. Undefined: not a slash command of this
 * product, so the message is for the planner.
 */
export function parseCommand(
  message: string,
  commands: readonly CommandInfo[],
  catalogue: { find(name: string): Tool | undefined },
): ParsedCommand | undefined {
  const start = /^\s*\/([\w-]+)(?:\s+|$)/.exec(message);
  const command = commands.find(({ name }) => name.toLowerCase() === start?.[1]?.toLowerCase());
  if (!start || !command) return undefined;
  const text = message.slice(start[0].length).trim();
  const [head = ""] = text.split(/\s+/, 1);
  if (head === "" || head.toLowerCase() === "help" || head === "--help" || head === "?")
    return toHelp(command, catalogue);

  const subcommand = command.subcommands.find(({ name }) => name.toLowerCase() === head.toLowerCase());
  const toolName = subcommand?.tool ?? command.defaultTool;
  const unknown = `"${text.slice(0, 80)}" isn't a /${command.name} command`;
  const meant = (): string =>
    didYouMean(
      head,
      command.subcommands.map(({ name }) => name),
      (name) => `/${command.name} ${name}`,
    );
  if (toolName === undefined) return toHelp(command, catalogue, `${unknown}.${meant()}`);
  // A command is about its server: another one that offers a tool of this name is not meant.
  const tool = toolById(catalogue, `${command.server}.${toolName}`);
  if (!tool)
    return toHelp(
      command,
      catalogue,
      `/${command.name}${subcommand === undefined ? "" : ` ${subcommand.name}`} can't be used now: ${command.server} isn't answering, or no longer does this.`,
    );

  const set = (subcommand ? subcommand.args : command.defaultArgs) ?? {};
  const slots = toSlots(tool.inputSchema).filter(({ name }) => !Object.hasOwn(set, name));
  const words = splitWords(subcommand ? text.slice(head.length).trim() : text);
  const fixed = words.map(nameIn).find((name) => Object.keys(set).some((key) => sameWord(key, name ?? "")));
  if (fixed !== undefined)
    return toHelp(command, catalogue, `${fixed} is set by this command and cannot be given.`);
  const filled = fillFromWords(slots, words, command.completes ?? []);
  if (!subcommand && filled.misfit !== undefined)
    return toHelp(
      command,
      catalogue,
      `"${filled.misfit.slice(0, 80)}" isn't a /${command.name} command, nor ${withArticle(labelOf(slots))}.${meant()}`,
    );
  return { kind: "call", command, tool, args: { ...set, ...filled.args }, set };
}

const PAIR = /^(?:--)?([A-Za-z][\w-]*)=([\s\S]*)$/;
const FLAG = /^--([A-Za-z][\w-]*)$/;

/** The name in `name=value`, `--name=value` and `--name`; a quoted word is text. */
function nameIn({ text, value }: Word): string | undefined {
  if (text.startsWith('"') || text.startsWith("'")) return undefined;
  return PAIR.exec(value)?.[1] ?? FLAG.exec(text)?.[1];
}

/** `misfit` is text that plainly is no value of the argument it would go to. */
function fillFromWords(
  slots: Slot[],
  words: readonly Word[],
  completed: readonly string[],
): { args: JsonObject; misfit?: string } {
  const args: JsonObject = {};
  const free: Word[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!word) continue;
    const pair = PAIR.exec(word.value);
    const flag = FLAG.exec(word.text);
    const slot = slotNamed(slots, nameIn(word));
    if (slot && pair) {
      args[slot.name] = toValue(slot, pair[2] ?? "");
    } else if (slot && flag) {
      const next = words[at + 1];
      const alone =
        !next || next.text.startsWith("--") || (slot.kind === "boolean" && !fits(slot, next.value));
      if (slot.kind === "boolean" && alone) args[slot.name] = true;
      else if (next) {
        args[slot.name] = toValue(slot, next.value);
        at += 1;
      }
    } else {
      free.push(word);
    }
  }
  return free.length === 0 ? { args } : placeFreeText(slots, args, { free, completed });
}

/**
 * Free text goes to the first required string that is still open, or the first string. Where
 * several are required, a first word that fits a short one (`DEMO`), or one whose values are suggested, goes there and
 * the rest to the next.
 */
function placeFreeText(
  slots: Slot[],
  args: JsonObject,
  { free, completed }: { free: Word[]; completed: readonly string[] },
): { args: JsonObject; misfit?: string } {
  const open = slots.filter((slot) => takesText(slot) && !Object.hasOwn(args, slot.name));
  let wanted = open.filter((slot) => slot.required);
  if (wanted.length === 0) wanted = open.slice(0, 1);
  const rest = [...free];
  while (rest.length > 1 && wanted.length > 1) {
    const [slot] = wanted;
    const [word] = rest;
    if (!slot || !word) break;
    wanted = wanted.slice(1);
    if (
      !(isShort(slot) || completed.includes(slot.name)) ||
      !fits(slot, word.value) ||
      !isCapital(slot, word)
    )
      continue;
    args[slot.name] = toValue(slot, word.value);
    rest.shift();
  }
  const text = rest.map((word) => (rest.length === 1 || !word.quoted ? word.value : word.text)).join(" ");
  const target = wanted.find((slot) => fits(slot, text)) ?? wanted[0];
  if (!target) return { args, misfit: text };
  args[target.name] = toValue(target, text);
  return fits(target, text) ? { args } : { args, misfit: text };
}

/** A code such as DEMO is told from the first word of a sentence by its capitals. */
function isCapital(slot: Slot, word: Word): boolean {
  return slot.kind !== "code" || word.value === word.value.toUpperCase();
}

function isShort(slot: Slot): boolean {
  return ["key", "code", "id", "path", "url", "email", "enum"].includes(slot.kind);
}

function takesText(slot: Slot): boolean {
  return (
    !["boolean", "object", "list", "cursor", "integer", "number"].includes(slot.kind) ||
    (slot.required && slot.kind !== "object")
  );
}

function slotNamed(slots: Slot[], name: string | undefined): Slot | undefined {
  return name === undefined ? undefined : slots.find((slot) => sameWord(slot.name, name));
}

/** Words with quotes kept together, also inside `name="two words"`. An unclosed quote is a letter. */
function splitWords(text: string): Word[] {
  const words: Word[] = [];
  const pattern = /(?:--)?[A-Za-z][\w-]*=(?:"[^"]*"|'[^']*')(?=\s|$)|"[^"]*"(?=\s|$)|'[^']*'(?=\s|$)|\S+/g;
  for (const [word] of text.matchAll(pattern)) {
    const quoted = /^((?:--)?[A-Za-z][\w-]*=)?(["'])([\s\S]*)\2$/.exec(word);
    words.push({
      text: word,
      value: quoted ? `${quoted[1] ?? ""}${quoted[3] ?? ""}` : word,
      quoted: quoted !== null,
    });
  }
  return words;
}

function labelOf(slots: Slot[]): string {
  const slot = slots.find((each) => each.required) ?? slots[0];
  return slot ? slot.words.join(" ") : "argument";
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}

function toHelp(
  command: CommandInfo,
  catalogue: { find(name: string): Tool | undefined },
  problem?: string,
): ParsedCommand {
  const about = (name: string): string => {
    const tool = catalogue.find(name);
    const words = tool === undefined ? toolWords(name) : toolTitle(tool);
    return words.charAt(0).toLowerCase() + words.slice(1);
  };
  const usages = command.subcommands.map(({ name, tool }) => `/${command.name} ${name} … to ${about(tool)}`);
  if (command.defaultTool !== undefined)
    usages.unshift(`/${command.name} … to ${about(command.defaultTool)}`);
  const message = `${problem === undefined ? "" : `${problem} `}You can type: ${usages.join(", ")}. Any value can be named, such as priority=High.`;
  return { kind: "help", command, message, ...(problem === undefined ? {} : { problem }) };
}
