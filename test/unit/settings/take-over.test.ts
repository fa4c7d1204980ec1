import { expect, it } from "vitest";

import { takeOver } from "#app/reload.ts";
import type { Settings } from "#src/settings/load.ts";
import { fileSchema } from "#src/settings/schema.ts";

function settings(file: object, given: Partial<Settings> = {}): Settings {
  return { ...fileSchema.parse(file), file: "/one.yaml", data_dir: "/data", old_secret_keys: [], ...given };
}

const plain = { name: "plain", command: ["node", "a.js"] };
const signed = { name: "signed", url: "https://mcp.example.com", oauth: { per: "person" } };

it("[ops.reload] takes over what may change, and names the rest, which stays as it was", () => {
  const old = settings({ http: { port: 1 }, store: { url: "" }, servers: [plain] });
  const read = settings(
    { http: { port: 2, host: "::1" }, people: [{ name: "Ana", actors: ["http:ana"] }], limits: { steps: 3 } },
    { data_dir: "/elsewhere" },
  );
  const { settings: next, changed, needsRestart } = takeOver(old, read);
  expect(changed).toEqual(["servers", "people", "limits"]);
  expect(needsRestart).toEqual(["http.host", "http.port"]);
  expect(next).toMatchObject({ http: old.http, people: read.people, data_dir: "/data", servers: [] });
  expect(next.limits.steps).toBe(3);
  expect(takeOver(old, settings({ http: { port: 1 }, servers: [plain] }))).toMatchObject({
    changed: [],
    needsRestart: [],
  });
});

it("[ops.reload] keeps a server as it is whose accounts changed, whether it is new, another or gone", () => {
  const both = settings({ servers: [plain, signed] });
  const names = ({ settings: { servers } }: ReturnType<typeof takeOver>): string[] =>
    servers.map(({ name }) => name);

  const gone = takeOver(both, settings({ servers: [plain] }));
  expect([gone.changed, gone.needsRestart, names(gone)]).toEqual([
    [],
    ["servers.signed"],
    ["plain", "signed"],
  ]);

  const added = takeOver(settings({ servers: [] }), both);
  expect([added.changed, added.needsRestart, names(added)]).toEqual([
    ["servers"],
    ["servers.signed"],
    ["plain"],
  ]);

  const other = { ...signed, url: "https://other.example.com", oauth: { per: "channel" } };
  const another = takeOver(both, settings({ servers: [plain, other] }));
  expect([another.changed, another.needsRestart]).toEqual([[], ["servers.signed"]]);
  expect(another.settings.servers[1]?.url).toBe(signed.url);

  const slower = takeOver(both, settings({ servers: [plain, { ...signed, timeout_ms: 5_000 }] }));
  expect([slower.changed, slower.needsRestart]).toEqual([["servers"], []]);
});
