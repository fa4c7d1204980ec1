import { distance } from "fastest-levenshtein";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownName, PendingQuestion, PlanInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { doubtOf } from "./builtin/doubt.ts";
import { COLON, createSheet, shorten } from "./builtin/sheet.ts";
import { FEWEST_TITLE_WORDS, isAnotherKind, textAt } from "./builtin/titles.ts";
import { withSpacedKeys } from "./builtin/spelling.ts";
import { createSynonyms, stemOf, STOP_WORDS, THINGS, tokenize } from "./builtin/words.ts";
import { asText } from "./model-text.ts";
import { type Slot, splitName, toSlots } from "./slot.ts";

/** What a plan is held against. */
export type GateContext = Pick<
  PlanInput,
  "message" | "quote" | "history" | "observations" | "tools" | "known"
> & {
  /** Who "me" is. */
  actorName?: string;
  /** Who planned finds tools by meaning and well: what is read need share no word with the message. */
  isLoose?: boolean;
  /** The built-in planner's, which reads wishes out of the words: only the targets of changes are held to what was said. */
  isBuiltin?: boolean;
  /** It is one of several calls of one tool: in a list of what shall be made one word is a title. */
  isOfSeveral?: boolean;
};

export type Verdict =
  | { ok: true }
  /** A change is wanted, and what it needs was made up: people are asked for these arguments. */
  | { question: PendingQuestion }
  /** Why the calls are not made, as the second half of a sentence. */
  | { refused: string };

/**
 * Holds calls to what was said: no change that nobody wishes, and no key, id, person or text of a change that
 * stands neither in the message, what it quotes, the conversation, nor a result; and none where the message says
 * something that makes it doubtful. First calls have to do with the request, and with the keys that it names. What was
 * said counts whatever its case and punctuation.
 */
export function checkCalls(
  calls: readonly { tool: string; args: JsonObject }[],
  context: GateContext,
): Verdict {
  const said = createSaid(context);
  if (context.isBuiltin === true) return checkTargets(calls, context, said);
  const isFirst = context.observations.length === 0;
  const keys = isFirst ? keysIn(context.message) : [];
  const given = normal(JSON.stringify(calls.map(({ args }) => args)));
  if (keys.length > 0 && !keys.some((key) => given.includes(normal(key))))
    return { refused: `it leaves out ${keys[0]}, which the request names` };
  for (const { tool: id, args } of calls) {
    const tool = context.tools.find((one) => one.id === id);
    if (tool === undefined) continue;
    const changing = isChange(tool, args);
    const named = isNamed(context.message, id);
    if (changing && !named && !isWished(context, tool))
      return { refused: `it calls ${id}, which makes a change that nobody asked for` };
    const invented = inventedIn(toSlots(tool.inputSchema), args, said, changing);
    const isFree = named || (context.isLoose === true && !changing);
    if (isFirst && !isFree && !isRelated(context, tool, args, said, changing))
      return { refused: `it calls ${id}, which has nothing to do with the request` };
    const required = new Set(Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : []);
    const [first] = invented;
    if (first === undefined) continue;
    if (!changing || invented.some((name) => !required.has(name)))
      return { refused: `it calls ${id} with a value for ${first} that nobody said` };
    const kept = Object.entries(args).filter(([name]) => !invented.includes(name));
    return { question: { tool: id, args: Object.fromEntries(kept), fields: invented } };
  }
  const doubt = doubtIn(calls, context);
  if (doubt === undefined) return { ok: true };
  if (doubt === "page") return { refused: "it would replace a whole page with a line" };
  return { refused: `it makes a change, and “${doubt.part}” makes me doubt that this is an order` };
}

/** What of the message makes it doubtful that these changes, and those that this turn made before, are meant. */
function doubtIn(
  calls: readonly { tool: string; args: JsonObject }[],
  { message, tools, observations, known = [] }: GateContext,
): ReturnType<typeof doubtOf> {
  const changes = [...observations, ...calls].flatMap(({ tool: id, args }) => {
    const tool = tools.find((one) => one.id === id);
    return tool !== undefined && isChange(tool, args) ? [{ tool, args }] : [];
  });
  return doubtOf(shorten(message).text, changes, known);
}

/** A change whose key, id, path, address or person nobody said is asked about. */
function checkTargets(
  calls: readonly { tool: string; args: JsonObject }[],
  { tools, message, isOfSeveral = false }: GateContext,
  said: Said,
): Verdict {
  // Whoever puts a title in quotes means it, whatever its words: 'Clock stuck'.
  const quoted = new Set<JsonValue | undefined>(createSheet(message).quotes.map(({ value }) => value));
  for (const { tool: id, args } of calls) {
    const tool = tools.find((one) => one.id === id);
    if (tool === undefined || !isChange(tool, args)) continue;
    const all = toSlots(tool.inputSchema);
    const slots = all.filter((slot) => TARGETS.has(slot.kind) || isNumbered(slot));
    const named = Object.fromEntries(
      Object.entries(args).filter(([name]) => slots.some((slot) => slot.name === name)),
    );
    const empty = all
      .filter((slot) => !quoted.has(args[slot.name]) && isEmpty(slot, args[slot.name], isOfSeveral))
      .map(({ name }) => name);
    const invented = [...inventedIn(slots, named, said, true), ...empty];
    if (invented.length === 0) continue;
    const kept = Object.entries(args).filter(([name]) => !invented.includes(name));
    return { question: { tool: id, args: Object.fromEntries(kept), fields: invented } };
  }
  return { ok: true };
}

const TARGETS: ReadonlySet<string> = new Set(["key", "id", "path", "url", "email"]);

/** What has to be named or written, and got a word that says nothing ("the"), or no JSON where that is due. */
function isEmpty(
  { kind, required, description }: Slot,
  value: JsonValue | undefined,
  isOfSeveral: boolean,
): boolean {
  if (!required || typeof value !== "string" || !["text", "title", "body"].includes(kind)) return false;
  if (/^\W*JSON (?:string|array|object|list)\b/i.test(description)) return !/^\s*[[{"]/.test(value);
  if (kind === "body" || PLACE_ONLY.test(value)) return PLACE_ONLY.test(value);
  const words = tokenize(value);
  const [word, ...others] = words;
  // "branch" says which kind of thing, and Clock stuck is a title.
  const isKind =
    !isOfSeveral &&
    word !== undefined &&
    others.length === 0 &&
    THINGS.has(word.stem) &&
    value === word.lower;
  return isKind || (words.length < 3 && words.every(({ lower }) => STOP_WORDS.has(lower)));
}

/** "As a comment", "on the ticket": where it goes, and no text. */
const PLACE_ONLY =
  /^(?:as|in|into|on|to|under)\s+(?:an?\s+|the\s+|this\s+)?(?:comment|note|remark|ticket|issue|bug|story|task|description)s?(?:\s+(?:and|then)\s.*)?$/iu;

function isNumbered(slot: Slot): boolean {
  return slot.kind === "integer" && isReference(slot);
}

/** Whether a value stands in what was said, or one of a text's words does. */
interface Said {
  has(value: string | number): boolean;
  hasWordOf(text: string): boolean;
  hasBeginningOf(code: string): boolean;
  /** The message speaks of whoever wrote it. */
  isOwn: boolean;
}

function createSaid(context: GateContext): Said {
  const { message, quote, history, observations, actorName = "", known = [] } = context;
  const near = normal(
    [
      // "DEMO-3 and 4" names both.
      withSpacedKeys(message, known),
      quote?.text ?? "",
      quote?.author ?? "",
      actorName,
      ...history.flatMap((turn) => [
        turn.message,
        turn.quote?.text ?? "",
        JSON.stringify([turn.question?.args ?? {}, ...turn.calls.map(({ args }) => args)]),
        ...(turn.permit === undefined
          ? []
          : [turn.reply.reveal(turn.permit), JSON.stringify(turn.shown?.reveal(turn.permit) ?? {})]),
      ]),
    ].join("\n"),
  );
  let far: string | undefined;
  // Results may be long, and most values stand in the message.
  const found = (): string =>
    (far ??= normal(
      observations
        .flatMap(({ args, permit, data, error, perception }) => [
          JSON.stringify(args),
          ...(permit === undefined
            ? []
            : [
                asText(data.reveal(permit)),
                error?.reveal(permit),
                perception && asText({ ...perception.reveal(permit) }),
              ]),
        ])
        .join("\n"),
    ));
  const holds = (text: string): boolean => near.includes(text) || found().includes(text);
  return {
    has(value) {
      const wanted = normal(String(value));
      return (
        wanted.trim() === "" ||
        holds(wanted) ||
        isTitled(String(value), message, known) ||
        isNumberedLike(String(value), context)
      );
    },
    hasWordOf(text) {
      const words = normal(text)
        .split(" ")
        .filter((word) => word.length > 2 && !STOP_WORDS.has(word));
      // "printing" and "printers" are told by how they begin.
      return (
        words.length === 0 || words.some((word) => holds(` ${word.slice(0, Math.max(4, word.length - 3))}`))
      );
    },
    hasBeginningOf: (code) => code.length >= 3 && near.includes(normal(code).trimEnd()),
    isOwn: /\b(?:i|me|my|mine|myself)\b/i.test(message),
  };
}

/** Whether the message has the number of a record, and what was asked for last is of the same project: "16 started". */
function isNumberedLike(id: string, { message, history, known = [] }: GateContext): boolean {
  const [, project = "", number = ""] = /^([A-Z][A-Z0-9_]{1,15})-(\d{1,5})$/.exec(id) ?? [];
  if (number === "" || !known.some((record) => record.kind === "issue" && record.id === id)) return false;
  const before = keysIn(JSON.stringify(history.at(-1)?.calls.map(({ args }) => args) ?? []));
  const isSame = before.length > 0 && before.every((key) => key.startsWith(`${project}-`));
  const said = new RegExp(
    `(?<![\\p{L}\\p{N}.,:/-])#?${number}(?![\\p{L}\\p{N}%:/-]|[.,]\\d|\\s*(?:%|percent|hours?|days?|weeks?|months?|times|am|pm)\\b)`,
    "iu",
  );
  const { masked } = createSheet(message);
  return isSame && said.test(masked.slice(0, COLON.exec(masked)?.index));
}

/**
 * Whether the message has words of a record's title that together no other title of its kind has. What is dictated or
 * quoted names none, unless the quote is the title itself.
 */
function isTitled(id: string, message: string, known: readonly KnownName[]): boolean {
  const wordsOf = (text: string): string[] =>
    tokenize(text).flatMap(({ lower, stem }) => (STOP_WORDS.has(lower) ? [] : [stem]));
  const { masked, quotes } = createSheet(message);
  const head = masked.slice(0, textAt(masked));
  // "Sign-in" may stand as two words in a title.
  const own = [...new Set([...wordsOf(head), ...wordsOf(head.replaceAll("-", " "))])];
  // "Task in OPS: replace the fan, under the data centre epic": a piece of its own, and nothing else.
  const piece = [...masked.matchAll(EPIC_PIECE)].flatMap(([, called, under]) =>
    wordsOf(called ?? under ?? ""),
  );
  return known.some((record) => {
    if (record.id !== id || !TITLED.has(record.kind)) return false;
    if (record.kind === "epic" && !/\bepic|\bunder\b/i.test(message)) return false;
    if (quotes.some(({ value }) => isQuotedOf(record, value, known))) return true;
    const title = new Set(wordsOf(record.name));
    const said = [...own, ...(record.kind === "epic" ? piece : [])].filter((stem) => title.has(stem));
    // "The passkey story", beside a bug whose title has the word.
    const kind = kindSaid(head, said);
    const isOfKind = kind !== undefined && record.type?.toLowerCase() === kind;
    const isOther = ({ id: other, kind: of, name, type = "" }: KnownName): boolean => {
      if (isOfKind && isAnotherKind(kind, type.toLowerCase())) return false;
      const words = new Set(of === record.kind && other !== id ? wordsOf(name) : []);
      return said.every((stem) => words.has(stem));
    };
    // "The Printers page", beside "Setting up the label printer": all of its title is said, and no more of another's.
    const isWhole =
      record.kind === "page" && title.size > 0 && [...title].every((stem) => said.includes(stem));
    const hasMore = ({ id: other, kind, name }: KnownName): boolean => {
      const words = new Set(kind === record.kind && other !== id ? wordsOf(name) : []);
      return new Set(own.filter((stem) => words.has(stem))).size > new Set(said).size;
    };
    return said.length > 0 && (!known.some(isOther) || (isWhole && !known.some(hasMore)));
  });
}

/** What a message calls the thing that it names with these words: "the passkey story". */
function kindSaid(head: string, said: readonly string[]): string | undefined {
  const found = [...head.matchAll(/(?<word>[\p{L}\p{N}]+)\s+(?<kind>bug|story|epic)(?!\p{L})/giu)];
  const own = found.find(({ groups }) =>
    tokenize(groups?.["word"] ?? "").some(({ stem }) => said.includes(stem)),
  );
  return own?.groups?.["kind"]?.toLowerCase();
}

/** Whether a quote is a record's title, or so much of it that no other one has that. */
function isQuotedOf({ id, kind, name }: KnownName, value: string, known: readonly KnownName[]): boolean {
  const said = value.toLowerCase();
  const has = (title: string): boolean => title.toLowerCase().includes(said);
  if (name.toLowerCase() === said) return true;
  if (said.split(" ").length < FEWEST_TITLE_WORDS || !has(name)) return false;
  return !known.some((other) => other.kind === kind && other.id !== id && has(other.name));
}

const TITLED: ReadonlySet<string> = new Set(["issue", "page", "epic"]);
const EPIC_PIECE =
  /(?<=[,.;:]\s+)(?:and\s+)?(?:(?:all|both|each)(?:\s+of\s+them)?\s+)?(?:(?:in|for)\s+[A-Z][A-Z0-9]+\s+)?(?:(?:(?:(?:(?:could|can|should)\s+)?(?:it\s+)?(?:belongs?\s+to|go(?:es)?\s+(?:to|in|under))|under|in|into|to|for)\s+)?(?:the\s+)?((?:[^,.;:]|\.(?=\d)){3,50}?)\s+epic|under\s+(?:the\s+)?((?:[^,.;:]|\.(?=\d)){3,50}?))(?=\s*(?:$|[,.;?!]))/giu;

/** Lower case, with one space between what are letters and digits, and around them. */
export function normal(text: string): string {
  return ` ${text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()} `;
}

const KEY = /^[a-z][a-z0-9_]{1,15}-\d{1,9}$/i;

function keysIn(message: string): string[] {
  return message.match(/(?<![\p{L}\p{N}_-])[A-Z][A-Z0-9_]{1,15}-\d{1,9}(?![\p{L}\p{N}_-])/gu) ?? [];
}

/** How much of what a message says to the letter, tools and keys, these calls take up. */
export function countTaken(message: string, calls: readonly { tool: string; args: JsonObject }[]): number {
  const values = new Set(calls.flatMap(({ args }) => Object.values(args)));
  const named = calls.filter(({ tool }) => isNamed(message, tool));
  return named.length + keysIn(message).filter((key) => values.has(key)).length;
}

function isNamed(message: string, tool: string): boolean {
  return normal(message).includes(normal(tool));
}

/** The arguments at the top whose value, or one inside it, nobody said. */
function inventedIn(slots: readonly Slot[], args: JsonObject, said: Said, changing: boolean): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const slot = slots.find((one) => one.name === name);
    return isInvented(slot, value, said, changing) ? [name] : [];
  });
}

function isInvented(slot: Slot | undefined, value: JsonValue, said: Said, changing: boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => isInvented(slot, item, said, changing));
  if (typeof value === "object" && value !== null)
    return inventedIn(slot?.nested ?? [], value, said, changing).length > 0;
  if (typeof value === "number") return slot !== undefined && isReference(slot) && !said.has(value);
  if (typeof value !== "string" || slot?.values.includes(value) === true) return false;
  if (KEY.test(value) && /\d/.test(value)) return !said.has(value);
  switch (slot?.kind) {
    case "key":
    case "id":
    case "path":
    case "url":
    case "email":
      return !said.has(value);
    case "code":
      return !said.has(value) && !said.hasBeginningOf(value);
    case "person":
      return !said.isOwn && value !== "none" && !said.hasWordOf(value);
    case "title":
    case "body":
    case "text":
      return changing && !said.hasWordOf(value);
    default:
      return false;
  }
}

/** A number that names a thing and counts nothing. */
function isReference({ words }: Slot): boolean {
  return ["id", "number", "key", "issue", "pr"].includes(words.at(-1) ?? "");
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).map(stemOf));
}

/** Nobody wishes in more words than this. */
const READ_CHARS = 4_000;

const READ_VERBS = wordSet(
  "get list search find read show fetch describe view retrieve query lookup look count check export download display preview explain summarize compare enumerate ping embed who what which is has status",
);

const CHANGE_VERBS = wordSet(
  `create make add file raise log write post submit report draft new insert register generate start record update
  edit change modify set rename rewrite adjust amend replace alter fix correct delete remove drop erase destroy trash
  discard purge del rm move transition close reopen resolve mark finish complete done put assign reassign unassign give
  hand delegate comment reply respond note leave link connect relate associate abort accept ack acknowledge activate
  append apply approve archive ban block book cancel charge clear click clone commit copy deactivate decline deploy
  disable dismiss duplicate email mail enable execute fork grant import install invite kick kill lock merge mute notify
  order pause pay pin press publish pull push mv purchase refund reject release reorder reset restart restore resume
  retry revert revoke roll rollback rotate run save scale schedule send silence snooze stop subscribe swap sync toggle
  transfer trigger truncate type undo uninstall unlock unpin unsubscribe upload upsert bounce reboot recycle ship
  rollout confirm enrol reserve squash resize renew retire`,
);

const USUAL_CHANGES = wordSet("create make add write put set update change edit new open delete remove");

/** What says whatever was said before. */
const GO_ON = /\bdo (?:it|this|that|so|the same)\b|\bgo ahead\b/i;
const SHORT = wordSet("again same yes yep sure");

/** Whether a call may change something: by the tool's annotation, the verb of its name, or what its own argument says to do. */
function isChange(tool: Tool, args: JsonObject): boolean {
  const { readOnlyHint } = tool.annotations;
  if (readOnlyHint === true) return false;
  const chosen = toSlots(tool.inputSchema).flatMap(({ kind, name }) => (kind === "enum" ? [args[name]] : []));
  const doing = [...(readOnlyHint === false ? [] : [tool.name]), ...chosen];
  return !doing.some((name) => typeof name === "string" && READ_VERBS.has(stemOf(splitName(name)[0] ?? "")));
}

/** What takes away, and what adds, is wished with words of its own kind. */
const TAKING = wordSet("delete remove drop erase destroy trash discard purge del rm rid clear");
const KINDS: readonly ReadonlySet<string>[] = [
  TAKING,
  wordSet(
    "create make add file raise open log write post submit report draft new insert register generate start record track need note put upload reply respond answer",
  ),
];

const POLITE =
  /^(?:[\s,.!-]|(?:hey|hi|hello|ok|okay|so|please|pls|plz|kindly|thanks|just|quickly|now|also|countersign|go ahead and|help me(?: to)?|let['’]?s|let me|(?:can|could|would|will|should) (?:you|u|someone|somebody|anyone|we|i)|(?:i|we)(?:['’]d| would) like(?: you)?(?: to)?|(?:i|we) (?:want|need|have)(?: you)? to|what would happen if (?:i|we)|i am looking|i['’]m looking)(?=[\s,.!]|$))+/i;

const NEW =
  /^(?:open|file|log|raise|report|start) (?:an?|another|new|the following)\b|^(?:an? )?(?:bug|ticket|task|todo|issue|story) (?:in|for|on) /i;

const READING =
  /^(?:show|list|find|search|look|get(?! rid)|give (?:me|us)|read|display|view|fetch|see|check|tell (?:me|us)|describe|explain|summari[sz]e|count|compare|export|download|print|pull up|bring up|open|what|which|who|whose|whom|where|when|why|how|is|are|was|were|do (?:we|you|i|they|people|our|any|the)|does|did|has|have|had|any|anything|anybody|anyone|latest|recent|newest|all|my|our|status|details?|info|information|news|updates? (?:on|about|of|for))\b/i;

/** Whether the message asks to change something, with a verb that is known or that the tool's name has. */
function isWished(context: GateContext, tool: Tool): boolean {
  const { message, history } = context;
  if (isForeign(message)) return true;
  const own = splitName(tool.name).filter((word, at) => at === 0 || CHANGE_VERBS.has(stemOf(word)));
  const before = history.at(-1);
  const clauses = clausesOf(message);
  if (clauses.some((clause) => wishes(clause, own))) return true;
  if (before === undefined || clauses.some((clause) => READING.test(clause))) return false;
  // The answer to what was asked, or a few words that go on with what was wished before.
  if (before.question !== undefined)
    return before.question.tool === tool.id || before.question.tool === tool.name;
  return tokenize(message).length <= 6 && clausesOf(before.message).some((clause) => wishes(clause, own));
}

function wishes(clause: string, own: readonly string[]): boolean {
  if (/\b(?:don['’]t|do not|never)\b/i.test(clause) || (READING.test(clause) && !NEW.test(clause)))
    return false;
  if (GO_ON.test(clause)) return true;
  const kind = KINDS.find((words) => words.has(stemOf(own[0] ?? "")));
  if (NEW.test(clause) && kind !== TAKING) return true;
  return tokenize(clause).some(({ stem, lower }) => {
    const isNamed = own.some(
      (verb) => stem === stemOf(verb) || (lower.length > 3 && distance(lower, verb) === 1),
    );
    if (isNamed) return true;
    return SHORT.has(stem) || (kind ?? CHANGE_VERBS).has(stem);
  });
}

/** The parts of a message that may each be a wish, without what is quoted in it. */
function clausesOf(message: string): string[] {
  const plain = message
    .slice(0, READ_CHARS)
    .replaceAll(/"[^"]*"|“[^”]*”|(?<![\p{L}\p{N}])['‘][^'’\n]+['’](?![\p{L}\p{N}])/gu, " ");
  return plain
    .split(/[.,;:!?\n]+(?:\s|$)|\b(?:and|then|but)\b/i)
    .map((clause) => clause.replace(POLITE, "").trim())
    .filter((clause) => clause !== "");
}

const FOREIGN = new Set(
  `der die das den dem ein eine einen ist und nicht mit für auf von zu bitte mir wer wie ich kannst schließe schliesse
  erstelle lege weise kommentiere lösche ändere aktualisiere verschiebe setze öffne zeige suche finde le les un une des
  du est et dans pour avec sur moi qui quoi ferme crée cree assigne commente supprime modifie déplace mets montre
  cherche el los las y por para con que qué quién cierra crea asigna comenta borra elimina cambia mueve actualiza
  muestra busca il lo gli di per che chi chiudi assegna commenta cancella aggiorna sposta mostra cerca os uma em não
  fecha cria atribui apaga atualiza mostre het een van met sluit maak wijs verwijder wijzig verplaats toon zoek`.split(
    /\s+/,
  ),
);

/** Whether a message is plainly not English, of which alone the words are known. */
export function isForeign(message: string): boolean {
  const words = tokenize(message).map(({ lower }) => lower);
  const letters = message.match(/\p{L}/gu)?.length ?? 0;
  const strange = message.match(/[^\P{L}A-Za-zÀ-ÿ]/gu)?.length ?? 0;
  if (strange * 3 > letters) return true;
  const foreign = words.filter((word) => FOREIGN.has(word)).length;
  return foreign > words.filter((word) => STOP_WORDS.has(word)).length;
}

const synonyms = createSynonyms();

/** Words that say what something is about, as stems. */
function contentWords(text: string): string[] {
  return tokenize(text)
    .filter(({ lower }) => lower.length > 2 && !STOP_WORDS.has(lower))
    .map(({ stem }) => stem);
}

/**
 * Whether a tool has to do with the message: they share a word, or one that means the same, or the call is
 * about something that was said. What a change writes is no sign, as anything can be written down.
 */
function isRelated(
  context: GateContext,
  tool: Tool,
  args: JsonObject,
  said: Said,
  changing: boolean,
): boolean {
  const { message } = context;
  // What is done says little: tools of every kind list, show and add. A "report" is a thing as well.
  const words = contentWords(message).filter((word) => !READ_VERBS.has(word) && !USUAL_CHANGES.has(word));
  if (isForeign(message) || context.history.length > 0 || words.length === 0) return true;
  const slots = toSlots(tool.inputSchema);
  const isAbout = slots.some(({ name, kind }) => {
    const value = args[name];
    if (typeof value !== "string" && typeof value !== "number") return false;
    if (changing && (kind === "title" || kind === "body" || kind === "text")) return false;
    return typeof value === "string" && !["key", "id", "code"].includes(kind)
      ? contentWords(value).some((word) => words.includes(word))
      : said.has(value);
  });
  if (isAbout) return true;
  const own = new Set(
    contentWords(
      [
        ...splitName(tool.name),
        tool.server,
        tool.title ?? "",
        tool.description,
        ...slots.flatMap((slot) => [...slot.words, slot.description, ...slot.values]),
      ].join(" "),
    ),
  );
  return words.some(
    (word) => own.has(word) || [...(synonyms.get(word) ?? [])].some((other) => own.has(other)),
  );
}
