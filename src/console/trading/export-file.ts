/** Exports a list to a file, which the desk writes; while one account alone is shown, only its rows. */
import type { ExportFile } from '../../desk/console/protocol.ts';
import type { Outcome } from '../../domain/errors.ts';
import { ask, type Session, say, tell } from '../app/session.ts';

export async function exportFile(
  session: Session,
  method: 'portfolio.export' | 'orders.export' | 'trades.export',
): Promise<void> {
  const { only } = session.ui.getState();
  await writeFile(session, () => ask(session, method, only === null ? {} : { exchange: only }));
}

/**
 * Runs an export; a message names the file's path. `asked`: requests the file from the desk; null: no
 * response.
 */
export async function writeFile(
  session: Session,
  asked: () => Promise<Outcome<ExportFile> | null>,
): Promise<void> {
  say(session, 'writing the file …');
  const outcome = await asked();
  if (!outcome) return;
  if (!outcome.ok) {
    tell(session, `refused: ${outcome.error.message}`, 'danger');
    return;
  }
  const { path, rows, whole } = outcome.data;
  const cut = whole ? '' : ', there are more';
  tell(session, `${rows} row${rows === 1 ? '' : 's'}${cut}: ${path}`, whole ? 'ok' : 'warn');
}
