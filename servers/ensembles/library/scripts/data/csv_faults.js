// Names what is wrong with a table, of the profile that csv_profile made of it, the worst first.
import { readFileSync } from "node:fs";

const { dependencies = {} } = JSON.parse(readFileSync(0, "utf8"));
const [before] = Object.values(dependencies);
const profile = before?.data;
if (profile === undefined || profile === null) {
  console.log(
    JSON.stringify({
      success: false,
      data: null,
      error: `expected the profile of a table before this, got ${before?.error ?? "none"}`,
    }),
  );
} else {
  const faults = [];
  const add = (severity, column, fault) =>
    faults.push({ severity, ...(column === null ? {} : { column }), fault });
  const { rows, columns, doubled_rows: doubled, ragged_lines: ragged } = profile;
  if (ragged.length > 0) add(3, null, `lines with too many or too few cells: ${ragged.join(", ")}`);
  if (doubled > 0) add(2, null, `${doubled} rows are there twice`);
  const names = columns.map(({ name }) => name.toLowerCase());
  for (const { name, type, types, empty, different, min, max, median } of columns) {
    if (name === "") add(2, "(no name)", "a column has no name");
    if (names.indexOf(name.toLowerCase()) !== names.lastIndexOf(name.toLowerCase()))
      add(2, name, "two columns have this name");
    if (empty === rows) add(2, name, "always empty");
    else if (empty > 0) add(empty / rows > 0.2 ? 2 : 1, name, `${empty} of ${rows} cells are empty`);
    const odd = Object.entries(types).filter(
      ([one]) => one !== type && !(type === "number" && one === "integer"),
    );
    if (odd.length > 0 && type !== "text")
      add(2, name, `mostly ${type}, but also ${odd.map(([one, count]) => `${count} ${one}`).join(" and ")}`);
    if (different === 1 && rows > 3 && empty < rows) add(1, name, "always the same value");
    if (/(^|_)id$/i.test(name) && different < rows - empty)
      add(3, name, `not unique: ${rows - empty - different} values are there again`);
    if (median !== undefined && rows >= 5 && Math.abs(max) > 20 * Math.max(1, Math.abs(median)))
      add(1, name, `largest value ${max} is far from the median ${median}`);
    if (typeof min === "number" && min < 0 && /price|amount|count|quantity|age/i.test(name))
      add(2, name, `smallest value is ${min}`);
  }
  const words = ["", "look at", "mend", "mend first"];
  const sorted = faults
    .toSorted((a, b) => b.severity - a.severity)
    .map(({ severity, ...rest }) => ({ advice: words[severity], ...rest }));
  console.log(
    JSON.stringify({
      success: true,
      data: { rows, columns: columns.length, faults: sorted, count: sorted.length },
      error: null,
    }),
  );
}
