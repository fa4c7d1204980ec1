import { launch } from "../../launch.js";

await launch("jira", () => import("./run.ts"));
