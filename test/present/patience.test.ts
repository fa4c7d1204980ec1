import { expect, it, onTestFinished } from "vitest";

import { useStores } from "#test/ledger/stores.ts";

import { shownPhases } from "./platform.ts";
import { createStage, status } from "./stage.ts";

const stores = useStores();

it("[slack.progress] posts the answer alone where there is no room for a status", async () => {
  const s = createStage(await stores.open("sqlite"), onTestFinished);
  const { platform } = s;
  let delay = 3_600_000;
  const p = await s.open({ port: { ...platform.port(), statusDelayMs: () => delay } });
  const patient = await p.say();
  const turn = await p.begin(patient);
  await p.emit(turn, status("planning"), status("executing_tools"));
  await p.finish(turn, "Done.");
  await platform.until(() => platform.shown(patient)?.isSettled === true);
  expect(shownPhases(platform, patient)).toEqual(["post done"]);

  delay = 0;
  const plain = await p.say();
  await platform.until(() => platform.shown(plain) !== undefined);
  await p.answer(plain);
  await platform.until(() => platform.shown(plain)?.isSettled === true);
  expect(shownPhases(platform, plain)[0]).toBe("post queued");
  expect(platform.of(plain).views.length).toBeGreaterThan(1);
});
