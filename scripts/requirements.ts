/**
 * Prints the rows of test/requirements.ts that tests cite, those that none does, and where `built` is
 * wrong. With `--write`, first marks as built exactly the rows that tests cite.
 */
import { readFile, writeFile } from "node:fs/promises";

import { citations } from "#test/citations.ts";
import { requirements as written } from "#test/requirements.ts";

const cited = await citations(new URL("../test/", import.meta.url));
let requirements = written;

if (process.argv.includes("--write")) {
  const file = new URL("../test/requirements.ts", import.meta.url);
  const row = /(id: "([^"]+)",[\s\S]*?built: )(?:true|false)/g;
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replaceAll(row, (_whole, before: string, id: string) => `${before}${cited.has(id)}`),
  );
  requirements = written.map((entry) => ({ ...entry, built: cited.has(entry.id) }));
}

const known = new Set(requirements.map((row) => row.id));
const list = (title: string, lines: string[]): void => {
  console.log(`${title} (${lines.length})`);
  for (const line of lines) console.log(`  ${line}`);
};

list(
  "Cited by tests",
  requirements.filter((row) => cited.has(row.id)).map((row) => `${row.id}: ${cited.get(row.id)?.join(", ")}`),
);
for (const round of [1, 2]) {
  const open = requirements.filter((row) => row.round === round && !cited.has(row.id));
  list(
    `Not cited, due in round ${round}`,
    open.map((row) => row.id),
  );
}
list(
  "Built",
  requirements.filter((row) => row.built).map((row) => row.id),
);
list(
  "Cited but not marked built",
  requirements.filter((row) => cited.has(row.id) && !row.built).map((row) => row.id),
);
list(
  "Marked built but not cited",
  requirements.filter((row) => row.built && !cited.has(row.id)).map((row) => row.id),
);
list(
  "Cited but unknown",
  [...cited].filter(([id]) => !known.has(id)).map(([id, files]) => `${id}: ${files.join(", ")}`),
);
