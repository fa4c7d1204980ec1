/** Agents as a graph: who waits for whom. */

interface Node {
  name: string;
  depends_on: readonly string[];
}

/** Agents that may run at the same time, in the order of the phases. Agents of a circle are in none. */
export function phasesOf(agents: readonly Node[]): string[][] {
  const known = new Set(agents.map((agent) => agent.name));
  const done = new Set<string>();
  const phases: string[][] = [];
  let rest = [...agents];
  while (rest.length > 0) {
    const ready = rest.filter((agent) =>
      agent.depends_on.every((name) => done.has(name) || !known.has(name)),
    );
    if (ready.length === 0) break;
    phases.push(ready.map((agent) => agent.name));
    for (const agent of ready) done.add(agent.name);
    rest = rest.filter((agent) => !done.has(agent.name));
  }
  return phases;
}

/** The first circle, such as `[a, b, a]`; undefined where there is none. */
export function findCircle(
  from: readonly string[],
  next: (name: string) => readonly string[],
): string[] | undefined {
  const finished = new Set<string>();
  const path: string[] = [];

  function visit(name: string): string[] | undefined {
    if (finished.has(name)) return undefined;
    const start = path.indexOf(name);
    if (start >= 0) return [...path.slice(start), name];
    path.push(name);
    for (const one of next(name)) {
      const circle = visit(one);
      if (circle !== undefined) return circle;
    }
    path.pop();
    finished.add(name);
    return undefined;
  }

  for (const name of from) {
    const circle = visit(name);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** Everything that ends before an agent starts. */
export function ancestorsOf(agents: readonly Node[], name: string): Set<string> {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const found = new Set<string>();
  const open = [...(byName.get(name)?.depends_on ?? [])];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    open.push(...(byName.get(one)?.depends_on ?? []));
  }
  return found;
}
