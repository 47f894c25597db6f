/** Writing what a list holds to a file: the desk does it. */
import { ask, type Session, say, tell } from '../app/session.ts';

/** The file's path stands in the message line and in the log. */
export async function exportFile(
  session: Session,
  method: 'portfolio.export' | 'orders.export' | 'trades.export',
): Promise<void> {
  say(session, 'writing the file …');
  const outcome = await ask(session, method, {});
  if (!outcome) return;
  if (!outcome.ok) {
    tell(session, `refused: ${outcome.error.message}`, 'danger');
    return;
  }
  const { path, rows, whole } = outcome.data;
  const cut = whole ? '' : ', there are more';
  tell(session, `${rows} row${rows === 1 ? '' : 's'}${cut}: ${path}`, whole ? 'ok' : 'warn');
}
