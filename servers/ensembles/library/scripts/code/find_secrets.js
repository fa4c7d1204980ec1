// Finds what looks like a key, a token or a password, with its line; the secret itself is not repeated.
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const KINDS = [
  ["private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["AWS key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["GitHub token", /\bgh[pousr]_[A-Za-z0-9]{30,}\b/],
  ["Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}\b/],
  ["Google key", /\bAIza[0-9A-Za-z_-]{35}\b/],
  ["JSON web token", /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/],
  ["address with a password", /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]+:[^\s/@]{3,}@/i],
  [
    "password",
    /\b(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token)\b["']?\s*[:=]\s*["']?[^\s"',;]{8,}/i,
  ],
];
const isExample =
  /\b(?:example|changeme|your[_-]|placeholder|process\.env|os\.environ)|\$\{|<[a-z_ -]+>|\*{4,}/i;
const findings = String(input)
  .split("\n")
  .flatMap((line, index) => {
    const kind = KINDS.find(([, pattern]) => pattern.test(line))?.[0];
    if (kind === undefined || line.startsWith("-") || isExample.test(line)) return [];
    const name = /([\w.-]*(?:key|token|password|passwd|pwd|secret)[\w.-]*)/i.exec(line)?.[1];
    return [{ line: index + 1, kind, ...(name === undefined ? {} : { name }) }];
  });
const data = {
  findings,
  count: findings.length,
  verdict: findings.length === 0 ? "nothing found" : "look at these lines",
};
console.log(JSON.stringify({ success: true, data, error: null }));
