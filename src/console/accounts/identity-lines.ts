/** The identity of an account: its lines on Accounts, and the question before a takeover. Pure. */
import type { AccountView, DeskShut, DeskState } from '../../desk/console/protocol.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';
import { isRunning } from '../trading/bots.ts';
import { type Line, span } from '../ui/line.ts';

type Confirmable = Exclude<DeskShut['kind'], 'another'>;

/** What each state means, and what to do about it. */
const STATES: Readonly<Record<DeskShut['kind'], readonly [string, string]>> = {
  another: ['nothing is sent: it is another account than it was', 'choose another name for this one'],
  held: [
    'nothing is sent: this data folder was moved or copied',
    'a confirms that the other desk is stopped',
  ],
  others: ['nothing is sent: another desk has orders there', 'stop that one; a takes the account over'],
  paused: ['no entries are sent: another desk trades it', 'stop that one; a confirms that it is stopped'],
};

/** The words for the state's column, which is narrow. */
export const SHUT_SHORT: Readonly<Record<DeskShut['kind'], string>> = {
  another: 'ANOTHER ACCOUNT',
  held: 'HELD',
  others: 'ANOTHER DESK',
  paused: 'PAUSED',
};

/** The lines about an account's identity, each as a name and its value. */
export function identityParts({ identity, shut }: AccountView): readonly (readonly [string, Line])[] {
  const parts: [string, Line][] = [];
  if (identity) {
    const main = identity.mainId === undefined ? [] : [span(` of ${identity.mainId}`, 'muted')];
    parts.push(['account', [span(identity.id), ...main]]);
  }
  if (!shut) return parts;
  const [what, cure] = STATES[shut.kind];
  parts.push(['desk', [span(what, 'danger', { bold: true })]], ['', [span(cure, 'warn')]]);
  for (const id of shut.ids) parts.push(['', [span(id, 'danger')]]);
  if (shut.more) parts.push(['', [span('and more', 'danger')]]);
  return parts;
}

const TITLES: Readonly<Record<Confirmable, string>> = {
  held: 'The other desk is stopped',
  others: 'Take the account over',
  paused: 'The other desk is stopped',
};

const NEXT: Readonly<Record<Confirmable, string>> = {
  held: 'From then on this desk trades the account. Two that trade it at once buy and sell twice, and each takes the orders of the other for those of strangers.',
  others:
    'What the other desk has there becomes orders of others here: nothing cancels them by itself. Runs of bots on the account end, and what they have open stays: look through it before you start them again.',
  paused: 'Entries are sent again. What the other desk has made stays as orders of others.',
};

/** The question of a takeover: the owner says that nobody else trades the account, and types its name. */
export function confirmTakeOver(state: DeskState, { id, shut }: AccountView): ConfirmDialog | null {
  if (!shut || shut.kind === 'another') return null;
  const { kind, ids, more } = shut;
  const runs = Object.values(state.bots).filter((bot) => bot.exchange === id && isRunning(bot)).length;
  const orders = ids.map(
    (one, at): InfoRow => ({ name: at === 0 ? 'its orders' : '', value: one, tone: 'warn' }),
  );
  return question(state, {
    title: TITLES[kind],
    rows: [
      { name: 'account', value: id },
      ...orders,
      ...(more ? [{ name: '', value: 'and more', tone: 'warn' } as const] : []),
      ...(kind === 'others' && runs > 0
        ? [{ name: 'bots', value: `${runs} running: they end`, tone: 'danger' } as const]
        : []),
    ],
    next: `Be sure that the other desk is stopped, and stays so. ${NEXT[kind]}`,
    keep: kind === 'paused' ? 'Keep it paused' : 'Keep it closed',
    verb: kind === 'others' ? 'take it over' : 'confirm that it is stopped',
    word: id,
    action: { type: 'take-over', exchange: id, of: kind },
  });
}
