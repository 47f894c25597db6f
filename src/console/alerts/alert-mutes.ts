/** What can be muted: bots that send alerts, and the targets of the alerts. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { botName, shortId, symbolOf, trades } from '../trading/bots.ts';

export interface MuteForm {
  readonly kind: 'alert-mute';
  /** Key of the row under the cursor. */
  readonly focus: string;
}

export interface MuteRow {
  /** `bot ID` or `target NAME`. */
  readonly key: string;
  readonly kind: 'bot' | 'target';
  readonly id: string;
  readonly name: string;
  readonly muted: boolean;
}

type World = Pick<DeskState, 'alerts' | 'bots' | 'mutes'>;

function row(kind: MuteRow['kind'], id: string, name: string, muted: boolean): MuteRow {
  return { key: `${kind} ${id}`, kind, id, name, muted };
}

/** Returns bots that send alerts and bots of recent alerts, then the targets of both. A notice has no bot. */
export function muteRows({ alerts, bots, mutes }: World): readonly MuteRow[] {
  const tellers = Object.values(bots).filter((bot) => !trades(bot));
  const ids = new Set([...tellers.map(({ id }) => id), ...alerts.map(({ botId }) => botId), ...mutes.bots]);
  ids.delete('');
  const targets = new Set([...mutes.targets]);
  for (const { settings } of tellers)
    for (const name of Array.isArray(settings.notify) ? settings.notify : [])
      if (typeof name === 'string' && name !== 'console') targets.add(name);
  for (const { deliveries } of alerts) for (const { target } of deliveries) targets.add(target);
  const botRows = [...ids].map((id) => {
    const bot = bots[id];
    return row(
      'bot',
      id,
      bot ? `${botName(bot)} ${symbolOf(bot)}`.trim() : `${shortId(id)} (deleted)`,
      mutes.bots.includes(id),
    );
  });
  return [
    ...botRows.sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...[...targets].sort().map((name) => row('target', name, name, mutes.targets.includes(name))),
  ];
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly mutes: MuteForm;
  }
}
