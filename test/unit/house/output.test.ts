import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Ways around the functions that make text safe for a terminal. */
const WRITES =
  /process\.std(?:out|err)\.(?:write|end|pipe)|\.pipe\(process\.std|\bconsole\.|(?:writeSync|writeFileSync)\((?:1|2)\b|pino\.destination|to(?:Stream|File)\((?:process|1)|stdio: *"inherit"|"inherit"/g;

it("[safe.text] nothing writes to a terminal but by the functions that make it safe", () => {
  const found = globSync(["app/**/*.ts", "src/**/*.ts", "adapters/**/*.ts", "views/**/*.ts"], {
    cwd: root,
  }).flatMap((file) => {
    const ways = readFileSync(`${root}${file}`, "utf8").match(WRITES) ?? [];
    return ways.length === 0 ? [] : [file];
  });
  // The chat's screen is given process.stdout and prints what its renderers made plain.
  expect(found.toSorted()).toEqual(["app/output.ts", "src/observe/log.ts"]);
});
