// A process that owns a tool box and ends without stopping it, by `process.exit` when told to on its
// input. It prints the process ids of its server and that server's child.
import { faulty, testBox } from "#test/fakes/mcp-box.ts";

const { box, call } = testBox([faulty("server", [], { use_persistent_session: true })]);
await box.start();
const { data } = await call("server.pid");
console.log(JSON.stringify(data));
process.stdin.once("data", () => process.exit(1));
