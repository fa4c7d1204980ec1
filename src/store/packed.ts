import { deflateRawSync, inflateRawSync } from "node:zlib";

/** What a column keeps of a JSON text; Postgres keeps bytes as base64, see its query compiler. */
export type Packed = string | Uint8Array;

/** Shorter texts are not worth it. */
const SHORTEST = 1_000;
/** Before base64 of what was packed with `COMMON`, and without it by earlier versions. No JSON begins with either. */
const MARK = "y";
const OLD_MARK = "z";

/**
 * What results and cards often say, so that a text says it by reference. What was packed needs these very
 * characters to be read: another text takes another mark.
 */
const COMMON = Buffer.from(
  " about above after again because been before between but came cannot change changed comment could " +
    "customer does done each every first fix found from getting have here in progress into issue its " +
    "just last less longer make message migration more most must need never next none not now of the off " +
    "only open or other our out over page people please project release right said same see should since " +
    "so some step still such take than that the their them then there these they this those to the to do " +
    "under until update used user very want was we can what when where which while who will with within " +
    "without would write wrong your and are as at be by can for from has in is it not of on one that the " +
    'to was with ing ed tion ment "choices":[{"command":"QUERY","fields":["body"],' +
    '"alsoPending":"pendingConfirmation":{"id":"appr_"files":[{"id":"file_"mediaType":"bytes":,"rows":1,' +
    '"from":,"error":{"code":"tool_error","message":"},{"text":"Open","tone":"good"}]},{"text":"Done",' +
    '"tone":"warn"},{"type":"chart","kind":"bar","title":"categories":["series":[{"name":"",' +
    '"values":[{"type":"code","text":"","language":"{"type":"changes","items":[{"label":"","before":"",' +
    '"after":""},{"type":"footer","text":"{"type":"list","ordered":true,' +
    '"items":[{"text":"detail":"{"type":"table","caption":"","columns":[{"label":"","align":"right"},' +
    '{"label":"From"},{"label":"To"}],"rows":[["total":"created":"","updated":"","description":"",' +
    '"status":"","priority":"","assignee":{"id":"","name":""},"labels":["comments":[{"id":"","body":"",' +
    '"author":{"id":"","name":""}},"history":[{"at":"T00:00:00.000Z","field":"","from":null,' +
    '"to":""items":[{"id":"","title":"","url":"https://","key":"","summary":"",' +
    '"type":"page"project":{"key":"","name":""}"format":"plain"},{"type":"header","text":"","eyebrow":"",' +
    '"href":"https://","badges":[{"text":"","tone":"info"},{"text":"","tone":"neutral"},{"text":"",' +
    '"tone":"bad"}]},{"type":"fields","items":[{"label":"","value":""},{"type":"text","text":"",' +
    '"format":"markdown","folded":true}]},{"type":"section","title":"","folded":true,' +
    '"elements":[{"type":"section","title":"","elements":[{"type":"links","items":[{"label":"Open ",' +
    '"href":"https://"}]}]}}],"log":[{"atMs":0,"stage":"inbox","message":"accepted from slack:U"},' +
    '{"atMs":,"stage":"plan","message":"step 1, command: QUERY builtin: ","durationMs":},{"atMs":,' +
    '"stage":"call","message":" done","durationMs":},{"atMs":,"stage":"plan","message":"step 2, builtin: ' +
    'command: enough is known","durationMs":}],"timings":{"queuedMs":,"planningMs":,"toolsMs":,' +
    '"summarizingMs":,"totalMs":},"next":[{"kind":"form","tool":"","args":{"},"fields":[""],' +
    '"title":"Comment on "},{"kind":"form","tool":"","args":{"},"fields":[""],"title":"Move ' +
    '"}]}{"call_01":{"ok":true,"data":{"},"text":"},"sources":{"from":"message"},"durationMs":,' +
    '"view":"ResultView","card":{"kind":"result","title":"","elements":[{"reply":"","planner":"builtin",' +
    '"toolResults":[{"toolId":"","server":"","args":{"},"ok":true,"data":{"',
);

/** Whether it is worth packing. */
export function isLong(json: string): boolean {
  return json.length >= SHORTEST;
}

/**
 * A JSON text as it is kept: data and the card that shows it say much the same twice. `beside` is a further one
 * that says much the same again.
 */
export function packed(json: string, beside?: string): Packed {
  if (beside === undefined && !isLong(json)) return json;
  const text = beside === undefined ? json : `${json}\n${beside}`;
  return deflateRawSync(text, { dictionary: COMMON });
}

/** The value of a text of `packed`, or of plain JSON. */
export function unpacked(kept: Packed): unknown {
  return JSON.parse(textsOf(kept)[0]);
}

/** The value that was packed beside it; undefined where none was. */
export function unpackedBeside(kept: Packed): unknown {
  const [, beside] = textsOf(kept);
  return beside === undefined ? undefined : JSON.parse(beside);
}

/** The same with each of its texts changed, which stays the JSON that it is. */
export function repacked(kept: Packed, change: (json: string) => string): Packed {
  const [json, beside] = textsOf(kept);
  if (typeof kept === "string" && json === kept) return change(json);
  return packed(change(json), beside === undefined ? undefined : change(beside));
}

/** Bytes of `packed` as a text. */
export function toText(bytes: Uint8Array): string {
  return MARK + Buffer.from(bytes).toString("base64");
}

/** JSON has no line break of its own. */
function textsOf(kept: Packed): [json: string, beside?: string] {
  const [json = "", beside] = textOf(kept).split("\n");
  return beside === undefined ? [json] : [json, beside];
}

function textOf(kept: Packed): string {
  if (typeof kept !== "string") return inflateRawSync(kept, { dictionary: COMMON }).toString();
  if (kept.startsWith(MARK)) return textOf(Buffer.from(kept.slice(MARK.length), "base64"));
  if (kept.startsWith(OLD_MARK))
    return inflateRawSync(Buffer.from(kept.slice(OLD_MARK.length), "base64")).toString();
  return kept;
}
