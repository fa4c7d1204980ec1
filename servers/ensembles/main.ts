import { launch } from "../../launch.js";

await launch("ensembles", () => import("./run.ts"));
