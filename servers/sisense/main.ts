import { launch } from "../../launch.js";

await launch("sisense", () => import("./run.ts"));
