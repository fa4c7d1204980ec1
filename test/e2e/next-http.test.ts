import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { manyConfig } from "./many.ts";
import {
  cleanUpAll,
  follow,
  readTurn,
  request,
  type HostedProduct,
  say,
  startHosted,
  temporaryFolder,
} from "./support.ts";

interface Offer {
  kind: string;
  title: string;
  tool_id: string;
}

interface Answer {
  turn_id: string;
  reply: string;
  next?: Offer[];
  tool_results: { data: unknown; rows?: number; from?: number; ok: boolean; card: { title: string } }[];
  pending_confirmation?: { approval_id: string; args: Record<string, unknown>; state: string };
}

let folder: string;
let product: HostedProduct;
/** Each test has a conversation of its own. */
let session: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  product = await startHosted({ config: manyConfig(folder) });
});
beforeEach(() => {
  session = randomUUID();
});
afterAll(cleanUpAll);

async function ask(message: string, on = product, session_id = session): Promise<Answer> {
  return (await say(on, message, { session_id })).body as unknown as Answer;
}

/** Presses a button of a turn, and reads what came of it. */
async function press({ turn_id: id }: Answer, at: number): Promise<Answer> {
  const begun = await request<{ turn_id: string }>(product, "POST", `/playground/turns/${id}/next/${at}`, {
    event_id: randomUUID(),
  });
  expect(begun.status).toBe(200);
  await follow(product, begun.body.turn_id);
  const turn = await readTurn(product, begun.body.turn_id);
  return turn.result as unknown as Answer;
}

async function approve(answer: Answer): Promise<Answer> {
  const { approval_id: id } = answer.pending_confirmation ?? { approval_id: "" };
  const { status } = await request(product, "POST", `/approvals/${id}/decision`, { decision: "approve" });
  expect(status).toBe(200);
  await follow(product, answer.turn_id);
  return (await readTurn(product, answer.turn_id)).result as unknown as Answer;
}

describe("a list that goes on", () => {
  it("[card.paging] is read on by the button, and no cursor is shown", async () => {
    let answer = await ask("/many find case");
    for (const page of [1, 2]) {
      expect(answer.next).toEqual([{ kind: "more", title: "Show 20 more", tool_id: "many.search_issues" }]);
      answer = await press(answer, 0);
      const [result] = answer.tool_results;
      expect(result?.from).toBe(page * 20);
      expect(result?.card.title).toContain(`Issues ${page * 20 + 1} to ${page * 20 + 20} of 500`);
      expect(JSON.stringify([result?.card, answer.reply])).not.toContain("from-");
    }
  });

  it("[card.paging] the words say the same: show more, page 3, the previous page", async () => {
    await ask("/many find case");
    expect((await ask("show more")).tool_results[0]?.card.title).toContain("Issues 21 to 40 of 500");
    expect((await ask("next page")).tool_results[0]?.card.title).toContain("Issues 41 to 60 of 500");
  });
});

describe("what can be done with a record", () => {
  it.each([true, false])(
    "[plan.followups] three changes of its server, most useful first (trusted: %s)",
    async (trusted) => {
      const on = trusted
        ? product
        : await startHosted({ config: manyConfig(await temporaryFolder(), { trusted }) });
      const answer = await ask("/many MANY-7", on);
      expect(answer.next).toEqual([
        { kind: "form", title: "Assign MANY-7", tool_id: "many.assign_issue" },
        { kind: "form", title: "Comment on MANY-7", tool_id: "many.add_comment" },
        { kind: "form", title: "Move MANY-7", tool_id: "many.move_issue" },
      ]);
      const form = await fetch(`${on.url}/playground/turns/${answer.turn_id}/fill?next=0`);
      expect(await form.text()).toContain("MANY-7");
      const filled = await request<{ turn_id: string }>(
        on,
        "POST",
        `/playground/turns/${answer.turn_id}/fill?next=0`,
        {
          values: [
            ["issue_key", "MANY-7"],
            ["assignee", "Ben"],
          ],
          event_id: randomUUID(),
        },
      );
      await follow(on, filled.body.turn_id);
      const { result } = await readTurn(on, filled.body.turn_id);
      expect(result).toMatchObject({
        pending_confirmation: { args: { issue_key: "MANY-7", assignee: "Ben" } },
      });
    },
  );
});

describe("a call that failed", () => {
  it("[plan.followups] is made again by its button", async () => {
    await writeFile(join(folder, "fragile"), "");
    const failed = await ask("/many fragile");
    expect(failed.tool_results[0]?.ok).toBe(false);
    expect(failed.next).toEqual([{ kind: "retry", title: "Try again", tool_id: "many.fragile" }]);
    const again = await press(failed, 0);
    expect(again.tool_results[0]).toMatchObject({ ok: true, data: { waiting: 3 } });
  });
});

describe("a change that its server refused", () => {
  it("[plan.followups] has its form, filled in as it was asked", async () => {
    const refused = await approve(await ask("/many assign issue_key=MANY-9 assignee=Zoe"));
    expect(refused.tool_results[0]?.ok).toBe(false);
    expect(refused.next).toEqual([
      { kind: "form", title: "Edit and try again", tool_id: "many.assign_issue" },
    ]);
    const at = `${product.url}/playground/turns/${refused.turn_id}/fill?next=0`;
    const form = await (await fetch(at)).text();
    for (const value of ["MANY-9", "Zoe"]) expect(form).toContain(value);
  });
});

describe("a decision in words", () => {
  it("[approve.two-phase] decides nothing, and says what waits and how it is decided", async () => {
    await ask("/many assign MANY-7 Ben");
    for (const words of ["approve", "yes please", "ok", "Genehmigt!"]) {
      const { reply } = await ask(words);
      expect(reply).toMatch(/^A message decides nothing here\. Use the buttons of the request\..*MANY-7/);
    }
    // Nothing waits here.
    expect((await ask("ok", product, randomUUID())).reply).toContain("All right.");
    for (const words of ["approve", "lgtm", "go ahead", "yes please"]) {
      const { reply, tool_results } = await ask(words, product, randomUUID());
      expect({ reply, tool_results }).toEqual({
        reply: "Nothing waits for an approval here.",
        tool_results: [],
      });
    }
  });
});

describe("what is taken back", () => {
  it("[approve.two-phase] a request that gives it to somebody stays, where something else is left as it is", async () => {
    const session = randomUUID();
    await ask("/many assign MANY-7 Ben", product, session);
    // Of a request that sets something else it says nothing.
    for (const other of ["no, leave it at high", "hm no leave the date", "rest stays", "no, printer stays"])
      expect((await ask(other, product, session)).reply).not.toContain("taken back");
  });
});

describe("undo", () => {
  it("[card.undo] proposes the inverse change, by words and by the button of the receipt", async () => {
    const first = await approve(await ask("/many assign issue_key=MANY-4 assignee=Ben"));
    expect(first.next?.[0]).toMatchObject({ kind: "undo", title: "Undo" });
    const byWords = await ask("undo that");
    expect(byWords.pending_confirmation?.args).toEqual({ issue_key: "MANY-4", assignee: null });
    const back = await approve(byWords);
    expect(back.tool_results[0]?.data).toMatchObject({ after: { assignee: null } });
    // Of a change that was taken back already there is nothing left to undo.
    expect((await press(first, 0)).reply).toContain("as it was before");
  });

  it("[card.undo] [approve.binding] says what was changed since, and proposes nothing", async () => {
    const first = await approve(await ask("/many assign issue_key=MANY-5 assignee=Ben"));
    await approve(await ask("/many assign issue_key=MANY-5 assignee=Chloé", product, randomUUID()));
    const undone = await press(first, 0);
    expect(undone.pending_confirmation).toBeUndefined();
    expect(undone.reply).toContain("changed since: assignee is Chloé now, and the change had set it to Ben");
  });

  it("[card.undo] says why what cannot be undone cannot", async () => {
    expect((await ask("undo")).reply).toContain("no change was made in this conversation");
    await approve(await ask("/many delete MANY-6"));
    expect((await ask("undo")).reply).toContain("What was deleted cannot be brought back");
  });
});

describe("what was asked for and done", () => {
  it("[approve.eligible] is answered to who took part in it", async () => {
    const said = async (message: string, actor: string, session_id: string): Promise<Answer> =>
      (await say(product, message, { session_id, actor })).body as unknown as Answer;
    const asked = await said("/many MANY-8 assign MANY-8 to ben", "kim", "record-kim");
    const change = asked.pending_confirmation
      ? asked
      : await said("assign MANY-8 to ben", "kim", "record-kim");
    expect(change.pending_confirmation).toBeDefined();
    expect((await said("what is waiting for my approval?", "kim", "record-kim")).reply).toMatch(
      /^\d+ requests? waits? for an approval:\n[^]*\*\*Assign MANY-8 .*\*\* · anyone may approve · kim asked on /,
    );
    expect((await said("undo everything", "kim", "record-kim")).reply).toContain("one change at a time");
    await approve(change);
    const told = (await said("what did you change today?", "kim", "record-kim")).reply;
    expect(told).toMatch(/^1 change was made:\n- \*\*.*MANY-8.*\*\* · kim asked, \S+ approved on /);
    expect((await said("who approved the last change?", "kim", "record-kim")).reply).toContain(
      "was approved by ",
    );
    // Who joins a conversation reads its answers: of others it tells nothing.
    expect((await said("what did you change today?", "kim", "record-kim-2")).reply).toBe(
      "Nothing was changed here.",
    );
    expect((await said("what did you change today?", "lee", "record-lee")).reply).toBe(
      "Nothing was changed here.",
    );
  });
});
