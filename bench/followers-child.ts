// Follows one turn many times: node bench/followers-child.ts URL TURN HOW_MANY. Prints `connected` once each has
// had an event, and what they have had as JSON when all have ended.
import { connect } from "node:net";

const [, , address = "", turn = "", many = "0"] = process.argv;
const { hostname, port, host } = new URL(address);
/** So many begin at the same time. */
const AT_ONCE = 50;

let connected = 0;
const heard: number[] = [];

/** Resolves with the first event; counts events until the end. */
function follow(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    let events = 0;
    socket.setEncoding("utf8");
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      text += chunk;
      for (let at = text.indexOf("\nid: "); at !== -1; at = text.indexOf("\nid: ")) {
        events += 1;
        text = text.slice(at + 5);
        if (events === 1) {
          connected += 1;
          resolve();
        }
      }
      if (text.endsWith("\r\n0\r\n\r\n")) {
        heard.push(events);
        socket.destroy();
      }
    });
    socket.write(`GET /agent/turns/${turn} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  });
}

let left = Number(many);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (left > 0) {
      left -= 1;
      await follow();
    }
  }),
);
console.log(`connected ${connected}`);
process.on("exit", () => {
  const most = heard.reduce((one, other) => Math.max(one, other), 0);
  console.log(
    JSON.stringify({ ended: heard.length, events: most, whole: heard.filter((n) => n === most).length }),
  );
});
