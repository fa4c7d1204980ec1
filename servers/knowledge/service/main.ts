import { launch } from "../../../launch.js";

await launch("knowledge-service", () => import("./run.ts"));
