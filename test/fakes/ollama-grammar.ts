/**
 * How many characters the grammar has that Ollama (0.12 to 0.17) makes of a schema, by the names of its rules: each
 * place of the schema is a rule named by its path, and what a `$ref` points to is one rule under its last name.
 * Within two hundredths of what `llama.SchemaToGrammar` of 0.12.6 wrote for eleven catalogues.
 */
export function grammarLength(schema: unknown): number {
  const refs = new Set<string>();
  let length = 150; // The rules that every grammar has.

  function rule(name: string, body: number): void {
    length += name.length + " ::= \n".length + body;
  }

  function visit(given: unknown, name: string): void {
    const one = asObject(given);
    const { $ref, const: only, enum: choices, anyOf, properties, items, type, maxLength } = one;
    if (typeof $ref === "string") {
      const target = $ref.slice($ref.lastIndexOf("/") + 1);
      rule(name, target.length);
      if (refs.has(target)) return;
      refs.add(target);
      visit(asObject(asObject(schema).$defs)[target], target);
    } else if (Array.isArray(anyOf)) {
      const names = anyOf.map((_, at) => `${name}-${at}`);
      rule(name, names.join(" | ").length);
      anyOf.forEach((other, at) => visit(other, names[at] ?? ""));
    } else if (only !== undefined) rule(name, literal(only) + 6);
    else if (Array.isArray(choices))
      rule(
        name,
        choices.reduce<number>((sum, choice) => sum + literal(choice) + 3, 6),
      );
    else if (properties !== undefined) visitProperties(asObject(properties), one.required, name);
    else if (type === "array" && items !== undefined) {
      rule(name, 42 + 2 * `${name}-item`.length);
      visit(items, `${name}-item`);
    } else if (type === "string" && typeof maxLength === "number")
      rule(name, `"\\"" char{0,${maxLength}} "\\"" space`.length);
  }

  function visitProperties(properties: Record<string, unknown>, required: unknown, name: string): void {
    const under = (key: string): string => (name === "" ? key : `${name}-${key}`);
    const wanted = Array.isArray(required) ? required : [];
    const keys = Object.keys(properties);
    const maybe = keys.filter((key) => !wanted.includes(key));
    for (const key of keys) {
      rule(`${under(key)}-kv`, literal(key) + ' space ":" space '.length + under(key).length);
      visit(properties[key], under(key));
    }
    let body = '"{" space  "}" space'.length + (maybe.length > 0 ? 6 : 0);
    for (const key of wanted) body += `${under(String(key))}-kv "," space `.length;
    maybe.forEach((key, at) => {
      const next = maybe[at + 1];
      body += `${under(key)}-kv | `.length + (next === undefined ? 0 : `${under(key)}-rest `.length);
      if (next === undefined) return;
      const further = at + 2 < maybe.length ? `${under(next)}-rest `.length : 0;
      rule(`${under(key)}-rest`, `( "," space ${under(next)}-kv )? `.length + further);
    });
    rule(name || "root", body);
  }

  visit(schema, "");
  return length;
}

/** What that server has room for. */
export function grammarRoom(schema: unknown): number {
  return Math.max(32_768, Math.min(1024 * 1024, 4 * JSON.stringify(schema).length));
}

function literal(value: unknown): number {
  return JSON.stringify(JSON.stringify(value)).length;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
