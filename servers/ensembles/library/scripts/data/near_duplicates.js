// Finds lines that say nearly the same, by their letters in threes; parameters: least (0.6), most (50 pairs).
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));
const { least = 0.6, most = 50 } = JSON.parse(process.env.AGENT_PARAMETERS || "{}");
const lines = String(input)
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line !== "")
  .slice(0, 2000);
const pieces = lines.map((line) => {
  const text = ` ${line
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .split(" ")
    .toSorted()
    .join(" ")} `;
  return new Set(
    Array.from({ length: Math.max(1, text.length - 2) }, (_, place) => text.slice(place, place + 3)),
  );
});
const byPiece = new Map();
const pairs = [];
pieces.forEach((set, index) => {
  const shared = new Map();
  for (const piece of set) {
    for (const other of byPiece.get(piece) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    byPiece.set(piece, [...(byPiece.get(piece) ?? []), index]);
  }
  for (const [other, count] of shared) {
    const likeness = count / (set.size + pieces[other].size - count);
    if (likeness >= least)
      pairs.push({
        a: lines[other],
        b: lines[index],
        lines: [other + 1, index + 1],
        likeness: Math.round(likeness * 100) / 100,
      });
  }
});
pairs.sort((a, b) => b.likeness - a.likeness);
console.log(
  JSON.stringify({
    success: true,
    data: { pairs: pairs.slice(0, most), count: pairs.length, entries: lines.length },
    error: null,
  }),
);
