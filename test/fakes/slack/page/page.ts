import type { Route } from "../http.ts";
import type { Person } from "../person.ts";
import type { World } from "../types.ts";
import type { Waiting } from "../until.ts";

export interface Page {
  route: Route;
  stop(): void;
}

export function createPage(_world: World, _person: (name: string) => Person, _until: Waiting): Page {
  return { route: () => Promise.resolve(false), stop() {} };
}
