import { expect, it } from "vitest";

import { startFakeOllama } from "#test/fakes/ollama.ts";

import {
  cleanUp,
  follow,
  jiraOnly,
  readTurn,
  sayLive,
  startHosted,
  startProduct,
  temporaryFolder,
} from "./support.ts";

const SHOW = 'BEGIN\nQUERY({"tool": "jira.get_jira_issue", "args": {"issue_key": "DEMO-1"}})\nEND';
const FINAL = 'BEGIN\nQUERY({"tool": "final_answer", "args": {}})\nEND';

it.each([
  // An answer of its own, and one that was made together with the decision that enough is known.
  ["reply.after", true],
  ["plan.after:2", false],
])(
  "[turn.recover] [llm.ollama] what the model answered before the death at %s is not asked again",
  async (failPoint, wantsMore) => {
    const ollama = await startFakeOllama((asked, n) => {
      const mayGoOn = asked.body.messages?.at(-1)?.content.includes("the single word MORE") === true;
      if (asked.body.format === undefined)
        return { do: "answer", text: mayGoOn && wantsMore ? "MORE" : `Answer number ${n}.` };
      return { do: "answer", text: n === 0 ? SHOW : FINAL };
    });
    cleanUp(() => ollama.stop());
    const config = jiraOnly({ provider: "ollama" });
    const dataDir = await temporaryFolder();
    const env = { OLLAMA_HOST: ollama.url };
    const first = await startProduct({
      config,
      dataDir,
      env: { ...env, COUNTERSIGN_FAIL_POINT: failPoint },
    });
    const turn = await sayLive(first, "what is DEMO-1 about?", { session_id: "model" });
    expect((await first.ended).signal).toBe("SIGKILL");
    const asked = ollama.requests.length;
    expect(asked).toBeGreaterThan(1);

    const second = await startHosted({ config, dataDir, env });
    const events = await follow(second, turn.turnId);
    expect(events.at(-1)).toMatchObject({ event: "result", data: { tool_result: { ok: true } } });
    expect(ollama.requests).toHaveLength(asked);
    const { result } = await readTurn(second, turn.turnId);
    expect(result?.reply).toContain(`Answer number ${asked - 1}.`);
  },
);
