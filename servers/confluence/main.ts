import { launch } from "../../launch.js";

await launch("confluence", () => import("./run.ts"));
