// Makes release notes of a git log: conventional commits by their kind, others by their first word.
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const { title = "Release notes" } = JSON.parse(process.env.AGENT_PARAMETERS || "{}");
const SECTIONS = {
  "Breaking changes": [],
  New: [],
  Fixed: [],
  Faster: [],
  Changed: [],
  "Behind the scenes": [],
};
const BY_TYPE = {
  feat: "New",
  fix: "Fixed",
  perf: "Faster",
  refactor: "Behind the scenes",
  docs: "Behind the scenes",
  test: "Behind the scenes",
  chore: "Behind the scenes",
  ci: "Behind the scenes",
  build: "Behind the scenes",
  style: "Behind the scenes",
};
const BY_WORD = [
  [/^(?:add|introduce|new|support|allow)/i, "New"],
  [/^(?:fix|repair|correct|handle|prevent|avoid)/i, "Fixed"],
  [/^(?:speed|faster|optimi[sz]e)/i, "Faster"],
  [/^(?:refactor|bump|upgrade|test|clean|rename|move|merge)/i, "Behind the scenes"],
];
const lines = String(input)
  .split("\n")
  .map((line) =>
    line
      .trim()
      .replace(/^[*-] /, "")
      .replace(/^[0-9a-f]{7,40} (?:\([^)]*\) )?/, ""),
  );
for (const line of new Set(
  lines.filter((one) => one !== "" && !/^(?:Author|Date|commit|Merge):? /.test(one)),
)) {
  const [, type, scope, mark, subject] = /^(\w+)(?:\(([^)]*)\))?(!)?: (.+)$/.exec(line) ?? [];
  const known = type !== undefined && Object.hasOwn(BY_TYPE, type.toLowerCase());
  const text = known ? `${scope ? `${scope}: ` : ""}${subject}` : line;
  const section =
    mark || /BREAKING CHANGE/.test(line)
      ? "Breaking changes"
      : known
        ? BY_TYPE[type.toLowerCase()]
        : (BY_WORD.find(([pattern]) => pattern.test(line))?.[1] ?? "Changed");
  SECTIONS[section].push(text.charAt(0).toUpperCase() + text.slice(1));
}
const found = Object.entries(SECTIONS).filter(([, items]) => items.length > 0);
const markdown = [
  `# ${title}`,
  ...found.map(([name, items]) => `## ${name}\n\n${items.map((item) => `- ${item}`).join("\n")}`),
];
const isEmpty = found.length === 0;
console.log(
  JSON.stringify({
    success: !isEmpty,
    data: isEmpty ? null : markdown.join("\n\n"),
    error: isEmpty ? "expected lines of a git log, got none" : null,
  }),
);
