import { launch } from "../../launch.js";

await launch("knowledge", () => import("./run.ts"));
