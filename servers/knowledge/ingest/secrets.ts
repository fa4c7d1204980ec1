/** Keys and tokens by how they look. */
const PATTERNS: readonly RegExp[] = [
  // To its end, in whatever it is quoted or indented; of one that is cut off what looks like one.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)){0,30000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[\s>|"',\\]{0,20}[A-Za-z0-9+/=]{16,})*)/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,255}\b|\bgithub_pat_\w{50,255}\b|\bglpat-[\w-]{20,64}\b/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{20,250}|\bxapp-\d-[A-Za-z0-9-]{20,250}/g,
  /\bAIza[\w-]{35}\b|\bya29\.[\w-]{30,250}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,100}\b|\bsk-(?:ant-|proj-)?[\w-]{32,200}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b|\bATATT3[\w=-]{50,250}/g,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g,
  /(?<=:\/\/[^\s:/@"']{1,80}:)[^\s:/@"'${}<>]{6,100}(?=@)/g,
];

/** What is named as a secret, and what it is set to: quoted, or up to the next space. */
const ASSIGNED =
  /(?<![\w.-])(?<name>[\w.-]{0,60}?(?:secret|token|passwd|password|passphrase|(?:api|access|private)[_ -]?key)\w{0,20})(?<sign>["']?[ \t]{0,4}(?:=>|[:=]{1,2})(?:\s{0,12}(?=["'])|(?:\*\*)?[ \t]{0,8}))(?:(?<quote>["'`])(?<quoted>[^\s"'`]{6,200})\k<quote>|(?<bare>[^\s"'`[{(|>&*!%<][^\s"'`]{5,199}))/gi;

/** No secret, but where one comes from, what kind of thing it is or what stands in for it. */
const ELSEWHERE =
  /^[$<{%]|\$[{(]|\{\{|\*\*\*|\.\.\.|…|^\.{0,2}\/[a-z_./-]+$|^[a-zA-Z_]+(?:\.[a-zA-Z_]+)+$|^(?:string|number|boolean|integer|required|optional|enabled|disabled|undefined)\b/;

/** A list of settings names a secret on one line and sets it on the next, as Kubernetes does. */
const LISTED =
  /(?<=name:[ \t]{0,4}["']?[\w.-]{0,60}(?:secret|token|passwd|password|passphrase|(?:api|access|private)[_-]?key)\w{0,20}["']?[ \t]{0,4}\n[ \t-]{0,40}value:[ \t]{0,4}["']?)[^\s"'`$<{][^\s"'`]{5,199}/gi;

const MASK = "[secret left out]";

/**
 * How a text is written. In `code` only what is quoted can be a secret; in `settings` (YAML, INI, scripts of a shell) what
 * is not quoted as well, and in `prose` where it looks like one.
 */
export type Writing = "code" | "settings" | "prose";

/** A text without the keys and tokens in it, and how many there were. */
export function withoutSecrets(text: string, writing: Writing): { text: string; found: number } {
  let found = 0;
  // Markdown that a converter wrote has its own signs within tokens.
  let clean = writing === "prose" ? text.replaceAll(/(?<=[\w-])\\(?=_)/g, "") : text;
  const mask = (secret: string): string => {
    found += 1;
    // Lines keep their numbers.
    return MASK + "\n".repeat(secret.split("\n").length - 1);
  };
  for (const pattern of PATTERNS) clean = clean.replace(pattern, mask);
  if (writing === "settings") clean = clean.replace(LISTED, mask);
  clean = clean.replace(ASSIGNED, (whole: string, ...groups: unknown[]) => {
    const assigned = groups.at(-1) as Assigned;
    const { name, sign, quote = "", quoted, bare = "" } = assigned;
    const isSecret =
      quoted === undefined ? isBareSecret(assigned, bare, writing) : isQuotedSecret(quoted, writing);
    return isSecret ? `${name}${sign}${quote}${mask(quoted ?? bare)}${quote}` : whole;
  });
  return { text: clean, found };
}

interface Assigned {
  name: string;
  /** What stands between the name and the value. */
  sign: string;
  quote?: string;
  quoted?: string;
  bare?: string;
}

function isQuotedSecret(value: string, writing: Writing): boolean {
  if (ELSEWHERE.test(value)) return false;
  if (writing === "settings") return value.length >= 8 || isMixed(value);
  return value.length >= 16 || (value.length >= 8 && isMixed(value));
}

function isBareSecret({ name, sign }: Assigned, value: string, writing: Writing): boolean {
  if (writing === "code" || ELSEWHERE.test(value) || /^https?:/.test(value)) return false;
  // Prose has lines of settings in it: `DB_PASSWORD=…`
  if (writing === "settings" || (sign.startsWith("=") && name === name.toUpperCase()))
    return isMixed(value) || (value.length >= 8 && !(/^\d+$/.test(value) && /tokens?$/i.test(name)));
  return value.length >= 8 && isMixed(value) && !/[()[\];]/.test(value);
}

function isMixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value);
}
