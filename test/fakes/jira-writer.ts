// Run as a process of its own by the test of concurrent writes: node jira-writer.ts FOLDER COUNT
import { createDemoBackend } from "#servers/jira/demo/backend.ts";

const [folder = "", count = "0"] = process.argv.slice(2);
const jira = createDemoBackend({ folder, me: "ana", delayMs: 0, now: () => new Date() });
const call = { signal: new AbortController().signal, progress: async () => {} };
for (let number = 0; number < Number(count); number += 1) {
  await jira.create({ project: "DEMO", type: "Task", summary: `concurrent ${process.pid} ${number}` }, call);
}
process.disconnect();
