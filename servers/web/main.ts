import { launch } from "../../launch.js";

await launch("web", () => import("./run.ts"));
