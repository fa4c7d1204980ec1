// Profiles a CSV table: for each column its type, empty cells, different values, smallest and largest.
import { readFileSync } from "node:fs";

const { input_data: input } = JSON.parse(readFileSync(0, "utf8"));

function rowsOf(text) {
  const [head = ""] = text.split("\n");
  const separator = [",", ";", "\t", "|"].toSorted((a, b) => head.split(b).length - head.split(a).length)[0];
  const rows = [[]];
  let cell = "";
  let isQuoted = false;
  for (let place = 0; place < text.length; place += 1) {
    const letter = text[place];
    if (isQuoted) {
      if (letter === '"' && text[place + 1] === '"') cell += text[(place += 1)];
      else if (letter === '"') isQuoted = false;
      else cell += letter;
    } else if (letter === '"' && cell === "") isQuoted = true;
    else if (letter === separator || letter === "\n") {
      rows.at(-1).push(cell.trim());
      cell = "";
      if (letter === "\n") rows.push([]);
    } else if (letter !== "\r") cell += letter;
  }
  rows.at(-1).push(cell.trim());
  return rows.filter((row) => row.some((one) => one !== ""));
}

const typeOf = (value) => {
  if (/^[+-]?\d{1,15}$/.test(value)) return "integer";
  if (/^[+-]?\d*[.,]\d+$/.test(value)) return "number";
  if (/^\d{4}-\d\d-\d\d(?:[T ]|$)/.test(value)) return "date";
  return /^(?:true|false|yes|no)$/i.test(value) ? "boolean" : "text";
};

const [header = [], ...rows] = rowsOf(String(input));
if (header.length < 1 || rows.length === 0) {
  console.log(
    JSON.stringify({
      success: false,
      data: null,
      error: "expected a CSV table with a header and rows, got none",
    }),
  );
} else {
  const columns = header.map((name, index) => {
    const values = rows.map((row) => row[index] ?? "");
    const filled = values.filter((value) => value !== "" && !/^(?:null|n\/a|none|-)$/i.test(value));
    const types = {};
    for (const value of filled) types[typeOf(value)] = (types[typeOf(value)] ?? 0) + 1;
    const [type = "empty"] = Object.entries(types).toSorted((a, b) => b[1] - a[1])[0] ?? [];
    const numbers = filled
      .map((value) => Number(value.replace(",", ".")))
      .filter((value) => !Number.isNaN(value));
    const isNumeric = type === "integer" || type === "number";
    const sorted = isNumeric ? numbers.toSorted((a, b) => a - b) : filled.toSorted();
    const facts = {
      name,
      type,
      types,
      empty: values.length - filled.length,
      different: new Set(filled).size,
      min: sorted[0] ?? null,
      max: sorted.at(-1) ?? null,
    };
    return isNumeric ? { ...facts, median: sorted[Math.floor(sorted.length / 2)] } : facts;
  });
  const keys = rows.map((row) => JSON.stringify(row));
  const ragged = rows.flatMap((row, index) => (row.length === header.length ? [] : [index + 2]));
  console.log(
    JSON.stringify({
      success: true,
      data: {
        rows: rows.length,
        columns,
        doubled_rows: keys.length - new Set(keys).size,
        ragged_lines: ragged.slice(0, 20),
      },
      error: null,
    }),
  );
}
