import { launch } from "../../launch.js";

await launch("sql", () => import("./run.ts"));
