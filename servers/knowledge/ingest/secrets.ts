/** Keys and tokens by how they look. What is named password, token or key is one where a quoted value follows. */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,8000}?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,255}\b|\bgithub_pat_\w{50,255}\b|\bglpat-[\w-]{20,64}\b/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{20,250}|\bxapp-\d-[A-Za-z0-9-]{20,250}/g,
  /\bAIza[\w-]{35}\b|\bya29\.[\w-]{30,250}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,100}\b|\bsk-(?:ant-|proj-)?[\w-]{32,200}\b/g,
  /\bnpm_[A-Za-z0-9]{36}\b|\bATATT3[\w=-]{50,250}/g,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g,
  /(?<=\b[\w.-]{0,60}(?:secret|token|passwd|password|api[_-]?key|access[_-]?key)\w{0,20}["']?\s{0,4}[:=]{1,2}\s{0,4}["'])[^\s"'${}<>]{16,200}(?=["'])/gi,
  /(?<=:\/\/[^\s:/@"']{1,80}:)[^\s:/@"'${}<>]{6,100}(?=@)/g,
];

const MASK = "[secret left out]";

/** A text without the keys and tokens in it, and how many there were. */
export function withoutSecrets(text: string): { text: string; found: number } {
  let found = 0;
  let clean = text;
  for (const pattern of PATTERNS) {
    clean = clean.replace(pattern, (secret) => {
      found += 1;
      // Lines keep their numbers.
      return MASK + "\n".repeat(secret.split("\n").length - 1);
    });
  }
  return { text: clean, found };
}
