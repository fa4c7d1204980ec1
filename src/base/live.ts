/**
 * An object that is, at each use, whichever `get` gives then: for rooms that are made anew while others hold them.
 * Methods keep the object that they are taken of, so that a call ends with what it began with.
 */
export function live<Part extends object>(get: () => Part): Part {
  return new Proxy({} as Part, {
    get(_none, name) {
      const part = get();
      const member: unknown = Reflect.get(part, name);
      return typeof member === "function" ? (member.bind(part) as unknown) : member;
    },
  });
}
