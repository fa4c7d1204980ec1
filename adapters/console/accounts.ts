import { plainLine } from "#src/base/terminal-text.ts";
import { printNote, printWhole, type Session } from "./session.ts";

const USAGE = "/accounts connect SERVER connects one, /accounts disconnect SERVER disconnects it.";

/** `/accounts [connect|disconnect SERVER]`: accounts of the person that servers work with. */
export async function accounts(session: Session, [deed, server]: string[]): Promise<void> {
  const { accounts: desk, actor, channel } = session;
  const { card, deeds } = await desk.list({ actor, channel });
  if (deed === undefined) {
    printWhole(session, card);
    if (deeds.length > 0) printNote(session, USAGE);
    return;
  }
  if ((deed !== "connect" && deed !== "disconnect") || server === undefined) {
    printNote(session, USAGE);
    return;
  }
  if (deed === "connect") return connect(session, server);
  const found = deeds.find((one) => one.deed === "disconnect" && one.server === server);
  const said = await desk.disconnect(found?.value ?? server, actor);
  printNote(session, plainLine(said));
}

async function connect(session: Session, server: string): Promise<void> {
  const { accounts: desk, actor, channel, screen } = session;
  const answer = await desk.connect(server, { actor, channel });
  printNote(session, plainLine(answer.words));
  if (!answer.ok) return;
  screen.print(`  Domain: ${screen.ink.paint("bold", plainLine(answer.link.domain))}`);
  screen.print(`  ${plainLine(answer.link.url)}`);
}
