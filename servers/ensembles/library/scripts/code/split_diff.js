// Splits a diff into the changes of single files; parameters: most (40 files), most_chars (8000 a file).
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const { most = 40, most_chars: chars = 8000 } = JSON.parse(process.env.AGENT_PARAMETERS || "{}");
const text = String(input);
const parts = text.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
const plain = text.split(/^(?=--- )/m).filter((part) => part.startsWith("--- "));
const files = (parts.length > 0 ? parts : plain).map((part) => part.slice(0, chars));
if (files.length === 0) {
  console.log(JSON.stringify({ success: false, data: null, error: "expected a diff (git diff), got none" }));
} else {
  console.log(JSON.stringify({ success: true, data: files.slice(0, most), error: null }));
}
