// Puts lines into batches for agents with fan_out; parameters: size (10 lines a batch), most (100 batches).
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const { size = 10, most = 100 } = JSON.parse(process.env.AGENT_PARAMETERS || "{}");
const lines = String(input)
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line !== "");
const batches = Array.from({ length: Math.ceil(lines.length / size) }, (_, place) =>
  lines.slice(place * size, (place + 1) * size).join("\n"),
);
console.log(JSON.stringify({ success: true, data: batches.slice(0, most), error: null }));
