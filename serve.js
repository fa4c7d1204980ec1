// node serve.js NAME [options]: servers/NAME/main.ts without what reads TypeScript, which takes 10 MB.
import { launch } from "./launch.js";

const [name] = process.argv.splice(2, 1);
await launch(name, () => import(`./servers/${name}/run.ts`));
