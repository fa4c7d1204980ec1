import { describe } from "vitest";

import { httpSurface } from "./http.ts";
import { holdTo } from "./suite.ts";

describe("[http.turn] the contract of surfaces, over HTTP", () => {
  holdTo(httpSurface);
});
