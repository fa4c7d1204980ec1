import { describe } from "vitest";

import { consoleSurface } from "./console.ts";
import { holdTo } from "./suite.ts";

describe("[console.loop] the contract of surfaces, on the terminal", () => {
  holdTo(consoleSurface);
});
