import { afterAll, describe, expect, it } from "vitest";

import { ACCESS, type Case, DASHBOARD, DATAMODEL, MIGRATION, WELLCHECK } from "./cases.ts";
import { type Desk, openDesk } from "./support.ts";

/** Changed by nothing. */
const still: Desk = await openDesk();
afterAll(() => still.close());

async function brings({ tool, args, brings: expected }: Case): Promise<void> {
  const mutates = still.sisense.tools.find(({ tool_id: id }) => id === tool)?.mutates;
  await using desk = mutates === true ? await openDesk() : undefined;
  await expectBrought(desk ?? still, { tool, args, brings: expected }, mutates === true);
}

async function expectBrought(
  desk: Desk,
  { tool, args, brings: expected }: Omit<Case, "asks">,
  mutates: boolean,
): Promise<void> {
  // First a dry run, which changes nothing: the call itself brings the same afterwards.
  if (mutates) {
    const tried = await desk.call(tool, { ...args, dry_run: true });
    expect([tool, tried.isError, tried.data.dry_run]).toEqual([tool, false, true]);
  }
  // The other spelling.
  const { data, text, isError } = await desk.call(tool.replace(".", "_"), args);
  expect([text.slice(0, 300), isError]).toEqual([expect.any(String), false]);
  expect(data).toMatchObject(expected as object);
  expect(JSON.parse(text)).toEqual(data);
}

describe("the tools on the demo deployment", () => {
  it.each(ACCESS)("[sisense.access] [sisense.tools] $tool", brings);
  it.each(DASHBOARD)("[sisense.dashboard] [sisense.tools] $tool", brings);
  it.each(DATAMODEL)("[sisense.datamodel] [sisense.tools] $tool", brings);
  it.each(MIGRATION)("[sisense.migration] [sisense.tools] $tool", brings);
  it.each(WELLCHECK)("[sisense.wellcheck] [sisense.tools] $tool", brings);

  it("[sisense.tools] has a case for each of the 62 tools", () => {
    const cases = [ACCESS, DASHBOARD, DATAMODEL, MIGRATION, WELLCHECK].flat().map(({ tool }) => tool);
    expect(still.sisense.tools.map(({ tool_id: id }) => id).toSorted()).toEqual(cases.toSorted());
    expect(cases).toHaveLength(62);
  });
});
