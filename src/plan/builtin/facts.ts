import type { JsonObject } from "#contract/json.ts";

import type { Slot } from "../slot.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import { isChangeVerb } from "./verbs.ts";
import { stemOf } from "./words.ts";

/** What a plain sentence tells of things: that one is so, how two are connected, or that there is a new one. */
type Fact = (
  | { kind: "fact"; name: string; text: string }
  | { kind: "relation"; from: string; type: string; to: string }
  | { kind: "thing"; name: string; type: string; text?: string }
) & {
  /** It is so no more, and shall be forgotten. */
  isOver?: boolean;
};

const NAME =
  '["“][^"“”]{1,80}["”]|\\p{Lu}[\\p{L}\\p{N}\'’&-]*(?:\\s+(?:(?:of|de|der|van|von|la|di|del)\\s+)?\\p{Lu}[\\p{L}\\p{N}\'’&-]*)*';
const NO_NAME =
  /^(?:If|When|Unless|Until|Because|Since|While|Maybe|Perhaps|Whether|What|Which|Who|Whose|How|Why|Where|Does|Did|Do|Is|Are|Was|Were|Has|Have|Can|Could|Should|Would|Not|No|Nobody|Someone|Somebody|Everybody|Everyone|I|We|You|He|She|It|They|The|A|An|This|That|These|Those|My|Our|There|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|[A-Z]\w*-\d+)$/;
const FINITE =
  "(?:is|was|are|were|has|had|have|does|did|do|can|could|will|would|may|must|should|\\p{Ll}{2,}(?:s|ed))(?![\\p{L}])";
const RELATION = "relation(?:ship)?|connection|link|edge";
const NOUN = `(?:${RELATION}|observation|fact|note|detail|information|info)`;
const KIND = "(?:(?:please|pls|plz|kindly|and|so|can you|could you|then)\\s+)*";
const MEMORY = "(?:\\s+(?:in|to|into)\\s+(?:the\\s+|your\\s+|my\\s+)?(?:memory|graph|knowledge graph))?";
const STORE =
  "(?:remember|memori[sz]e|note(?:\\s+down)?|store|save|record|keep in mind|write down|put down|jot down|don['’]?t forget|make a note)";
const FORGET = "(?:forget|delete|remove|erase|drop)";
const UNTRUE =
  "(?:(?:is|was)\\s+(?:not|no longer)|isn['’]?t|wasn['’]?t)\\s+(?:true|right|correct|valid|so)(?:\\s+(?:any ?more|any longer|now))?|(?:is|was)\\s+(?:wrong|false|outdated)";
const THAT = `(?:this|that|it|the)(?:\\s+(?<noun>${NOUN}))?`;

const TOLD: readonly (readonly [pattern: RegExp, isOver: boolean])[] = [
  // "It is not true any more that Ilse has a cat, please delete this observation"
  [
    new RegExp(
      `^(?:it\\s+(?:${UNTRUE})|it['’]s\\s+(?:not|no longer)\\s+true(?:\\s+any ?more)?)\\s+that\\s+(?<clause>.+?)\\s*[,;.:–-]+\\s*${KIND}${FORGET}\\s+${THAT}$`,
      "isu",
    ),
    true,
  ],
  // "Ben reports to Ana: that relation isn't true any more, remove it"
  [
    new RegExp(
      `^(?<clause>.+?)\\s*[,;.:–-]+\\s*(?:that|this|the|which)(?:\\s+(?<noun>${NOUN}))?\\s+(?:${UNTRUE})\\s*[,;.:–-]*\\s*${KIND}${FORGET}\\s+(?:this|that|it)$`,
      "isu",
    ),
    true,
  ],
  // "Lena no longer has a dog, delete that"
  [
    new RegExp(
      `^(?<clause>[^,;:]+?\\s+no longer\\s+[^,;:]+?)\\s*[,;.:–-]+\\s*${KIND}${FORGET}\\s+${THAT}$`,
      "isu",
    ),
    true,
  ],
  // "Forget that Ilse has a cat", "delete the relation: Ben manages Ana"
  [
    new RegExp(
      `^${KIND}${FORGET}\\s+(?:(?:the|this)\\s+(?<noun>${NOUN})\\s*(?::|\\s+that)|that)\\s+(?<clause>.+)$`,
      "isu",
    ),
    true,
  ],
  // "Remember that …", "note the relation: …"
  [
    new RegExp(
      `^${KIND}${STORE}${MEMORY}(?:\\s+this(?=\\s*:))?(?:\\s+(?:(?:the|an?|this|following|new)\\s+)*(?<noun>${NOUN}))?(?:\\s+that|\\s*:)\\s+(?<clause>.+)$`,
      "isu",
    ),
    false,
  ],
  [
    new RegExp(
      `^${KIND}(?:add|create|make|put)${MEMORY}\\s+(?:(?:the|an?|this|following|new)\\s+)*(?<noun>${NOUN})${MEMORY}(?:\\s+that|\\s*:)\\s+(?<clause>.+)$`,
      "isu",
    ),
    false,
  ],
  // "…, please store that as a relation"
  [
    new RegExp(
      `^(?<clause>.+?)\\s*[,;.:–-]+\\s*${KIND}(?:${STORE}|add|keep)\\s+(?:this|that|it)(?:\\s+(?:as\\s+)?(?:(?:an?|the|one)\\s+)?(?<noun>${NOUN}))?${MEMORY}(?:\\s+please)?$`,
      "isu",
    ),
    false,
  ],
];

const RELATED = new RegExp(
  `^(?<from>${NAME})\\s+(?<type>\\p{Ll}[\\p{Ll}_-]*(?:\\s+\\p{Ll}+){0,3})\\s+(?<to>${NAME})$`,
  "u",
);
const SAID = new RegExp(`^(?<name>${NAME})\\s+(?:no longer\\s+)?(?<text>${FINITE}.*)$`, "su");
const ADDED = new RegExp(
  `^${KIND}(?:add|append|note|write|put)\\s+(?:to|for|about|on|under)\\s+(?<name>${NAME})\\s*:\\s+(?<text>.+)$`,
  "su",
);
const NEW_THING = new RegExp(
  `^${KIND}(?:add|create|store|save|remember|register|make)\\s+(?:an?|the)\\s+(?:new\\s+)?(?<type>\\p{Ll}{3,})\\s+(?:called|named)\\s+(?<name>${NAME})(?:\\s*[,;.]?\\s*(?:(?:and|he|she|it|they|who|which|that)\\s+)+(?<text>${FINITE}.*))?$`,
  "su",
);

/**
 * The one call that keeps or forgets what a plain sentence tells, such as "remember that Hanna prefers phone calls", where
 * a tool takes things, what is so of them, or relations, as its arguments say.
 */
export function factCall(
  message: string,
  { entries }: ToolIndex,
): { entry: ToolEntry; args: JsonObject } | undefined {
  const shaped = entries.flatMap((entry) => {
    const [slot, ...others] = entry.changing ? entry.slots.filter(({ required }) => required) : [];
    return slot?.kind === "list" && others.length === 0 && slot.nested.length > 0 ? [{ entry, slot }] : [];
  });
  if (shaped.length === 0 || message.length > MOST_CHARS) return undefined;
  const asked = /^\W*(?:can|could|would|will) you\s+(.*?)\s*\?\s*$/isu.exec(message)?.[1] ?? message;
  const fact = factIn(
    asked
      .trim()
      .replace(/[\s.!]+$/, "")
      .replace(/^[\s,.!]+/, ""),
  );
  if (fact === undefined) return undefined;
  if (fact.kind === "thing" && entries.some(({ objects }) => objects.has(stemOf(fact.type))))
    return undefined;
  const calls = shaped.flatMap(({ entry, slot }) => {
    const isFor = entry.intents.has("delete") === (fact.isOver === true);
    const one = isFor ? toArgs(fact, slot.nested) : undefined;
    return one === undefined ? [] : [{ entry, args: { [slot.name]: [one] } }];
  });
  return calls.length === 1 ? calls[0] : undefined;
}

const MOST_CHARS = 400;

const OPENS =
  /^(?:please|pls|can|could|and|so|add|append|note|write|put|create|store|save|remember|register|make)\b/i;

function factIn(given: string): Fact | undefined {
  if (/\?|[\n;]/.test(given)) return undefined;
  // Names are told by their capitals, and the first word of a sentence is none for its own.
  const message = given.replace(OPENS, (word) => word.toLowerCase());
  const added = ADDED.exec(message)?.groups;
  if (added) return toFact(added["name"], added["text"]);
  const { name: called, type, text } = NEW_THING.exec(message)?.groups ?? {};
  if (called !== undefined && type !== undefined)
    return { kind: "thing", name: bare(called), type, ...(text === undefined ? {} : { text }) };
  for (const [pattern, isOver] of TOLD) {
    const { clause = "", noun = "" } = pattern.exec(message)?.groups ?? {};
    if (clause === "") continue;
    const fact = new RegExp(`^(?:${RELATION})$`, "i").test(noun) ? relationIn(clause) : sayingIn(clause);
    if (fact) return isOver ? { ...fact, isOver } : fact;
  }
  return undefined;
}

function relationIn(clause: string): Fact | undefined {
  const { from = "", type = "", to = "" } = RELATED.exec(clause)?.groups ?? {};
  if (from === "" || isNone(from) || isNone(to)) return undefined;
  const plain = type.replace(/^(?:is|are|was)\s+(?:the|an?)\s+/, "").replaceAll(/[\s-]+/g, "_");
  return { kind: "relation", from: bare(from), type: plain, to: bare(to) };
}

function sayingIn(clause: string): Fact | undefined {
  const { name, text } = SAID.exec(clause)?.groups ?? {};
  return toFact(name, text);
}

function toFact(name = "", text = ""): Fact | undefined {
  // "… and delete Otto" is another wish.
  const next = /\b(?:and|then)\s+(\p{Ll}+)\s+\S/u.exec(text)?.[1];
  return name === "" || text === "" || isNone(name) || isChangeVerb(next ?? "")
    ? undefined
    : { kind: "fact", name: bare(name), text: bare(text) };
}

function isNone(name: string): boolean {
  return NO_NAME.test(name.split(/\s+/)[0] ?? "");
}

function bare(text: string): string {
  return text.replace(/^["“](.*)["”]$/su, "$1").trim();
}

/** The fact as one item of a list, by what its properties are called; undefined where they are for something else. */
function toArgs(fact: Fact, slots: readonly Slot[]): JsonObject | undefined {
  const find = (own: RegExp, at: 0 | -1): string | undefined =>
    slots.find(({ words, kind }) => kind !== "list" && own.test(words.at(at) ?? ""))?.name;
  const from = find(/^(?:from|source|subject)$/, 0);
  const to = find(/^(?:to|target|object)$/, 0);
  const type = find(/^(?:type|kind|label|relation|predicate)$/, -1);
  const name = find(/^(?:name|entity|title)$/, -1);
  const list = slots.find(
    ({ kind, items }) => kind === "list" && (items === undefined || items === "string"),
  )?.name;
  const required = slots.filter((slot) => slot.required).length;
  if (fact.kind === "relation")
    return from !== undefined && to !== undefined && type !== undefined && required <= 3
      ? { [from]: fact.from, [to]: fact.to, [type]: fact.type }
      : undefined;
  if (name === undefined || list === undefined || from !== undefined) return undefined;
  if (fact.kind === "fact")
    return type === undefined && required <= 2 ? { [name]: fact.name, [list]: [fact.text] } : undefined;
  return type === undefined || required > 3
    ? undefined
    : { [name]: fact.name, [type]: fact.type, [list]: fact.text === undefined ? [] : [fact.text] };
}
