import { useCompileCache } from "../kit/compile-cache.ts";

useCompileCache();
await import("./run.ts");
