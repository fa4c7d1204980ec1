/** A function that keeps its answers to up to `most` keys, and begins anew behind that. */
export function remember<Value>(most: number, of: (key: string) => Value): (key: string) => Value {
  const kept = new Map<string, Value>();
  return (key) => {
    const before = kept.get(key);
    if (before !== undefined || kept.has(key)) return before as Value;
    const value = of(key);
    if (kept.size >= most) kept.clear();
    kept.set(key, value);
    return value;
  };
}
