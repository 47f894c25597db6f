/**
 * What this terminal's operator finds again: read from the desk once it is there, and given to it a moment after something of it
 * has changed. Parts that cannot be read are as they are at first; parts of other versions are left as they are.
 */
import type { OperatorMemory } from '../../domain/operator-memory.ts';
import { listIds, withList } from '../lists/list-views.ts';
import type { ListId, UiState } from '../state/ui.ts';
import { loadTheme } from '../ui/theme.ts';
import { isZoneName } from '../ui/zone.ts';
import type { Feature, MemoryPart } from './feature.ts';
import { type Session, say } from './session.ts';

/** From the last change to the desk's being told, ms. */
const SETTLED_MS = 1_000;

export interface MemoryOptions {
  readonly features: readonly Feature[];
  /** The theme that was asked for at the start: another one that was chosen holds as long as the same is asked for. */
  readonly theme: string;
  /** The time zone of the configuration, likewise. */
  readonly timeZone: string;
}

/** From now on; gives what ends that. */
export function keepMemory(session: Session, { features, theme, timeZone }: MemoryOptions): () => void {
  const parts = [
    LISTS,
    themePart(session, theme),
    zonePart(timeZone),
    ...features.flatMap(({ memory = [] }) => memory),
  ];
  const all = (): OperatorMemory => {
    const ui = session.ui.getState();
    return Object.fromEntries(parts.map((part) => [part.name, part.kept(ui)]));
  };
  let read: OperatorMemory | null = null;
  let isAsked = false;
  let stored = '';
  const write = (): void => {
    if (read === null) return;
    const memory = { ...read, ...all() };
    const text = JSON.stringify(memory);
    if (text === stored) return;
    stored = text;
    session.client.call('memory.write', { memory }).then(
      (outcome) => {
        if (!outcome.ok) say(session, `not kept: ${outcome.error.message}`, 'warn');
      },
      () => {
        // The line has ended: there is nobody to tell, and nothing was stored.
        stored = '';
      },
    );
  };
  const bring = async (): Promise<void> => {
    if (isAsked || session.desk.getState().state === null) return;
    isAsked = true;
    try {
      const memory = await session.client.call('memory.read', {});
      for (const part of parts)
        if (memory && part.name in memory) session.ui.setState((ui) => part.restored(ui, memory[part.name]));
      read = memory ?? {};
      stored = JSON.stringify({ ...read, ...all() });
    } catch {
      // A desk that keeps nothing: all is as it is at first, and nothing is written.
    }
  };
  const ends = [
    session.desk.subscribe(() => void bring()),
    session.ui.subscribe((ui, before) => {
      if (read !== null && parts.some((part) => part.differs(ui, before)))
        session.later('memory', SETTLED_MS, write);
    }),
  ];
  void bring();
  return () => {
    for (const end of ends) end();
    write();
  };
}

type AnyView = { readonly sort: string; readonly reverse: boolean; readonly filter: string };

/** Sort and filter of every list. */
const LISTS: MemoryPart = {
  name: 'lists',
  differs: (ui, before) => listIds(ui).some((list) => ui[list] !== before[list]),
  kept: (ui) =>
    Object.fromEntries(
      listIds(ui).map((list) => {
        const { sort, reverse, filter }: AnyView = ui[list];
        return [list, { sort, reverse, filter }];
      }),
    ),
  restored: (ui, kept) => listIds(ui).reduce((now, list) => withKept(now, list, fieldsOf(kept)[list]), ui),
};

function withKept(ui: UiState, list: ListId, kept: unknown): UiState {
  const { sort, reverse, filter } = fieldsOf(kept);
  const sorts = ui.parts.places[list].list?.sorts ?? [];
  return withList(ui, list, {
    ...(typeof sort === 'string' && sorts.includes(sort) ? { sort } : {}),
    ...(typeof reverse === 'boolean' ? { reverse } : {}),
    ...(typeof filter === 'string' ? { filter } : {}),
  } as Partial<UiState[ListId]>);
}

/** What was chosen here, while what was asked for at the start is the same as then. */
function chosenPart(
  name: string,
  asked: string,
  chosenIn: (ui: UiState) => string | null,
  restored: (chosen: string) => Partial<UiState>,
): MemoryPart {
  return {
    name,
    differs: (ui, before) => chosenIn(ui) !== chosenIn(before),
    kept: (ui) => (chosenIn(ui) === null ? null : { chosen: chosenIn(ui), asked }),
    restored: (_, kept) => {
      const { chosen, asked: then } = fieldsOf(kept);
      return typeof chosen === 'string' && then === asked ? restored(chosen) : {};
    },
  };
}

function themePart(session: Session, asked: string): MemoryPart {
  return chosenPart(
    'theme',
    asked,
    (ui) => ui.chosenTheme,
    (chosen) => {
      const { theme } = loadTheme(chosen, session.themeFolders, session.depth);
      return theme ? { theme, chosenTheme: chosen } : {};
    },
  );
}

function zonePart(asked: string): MemoryPart {
  return chosenPart(
    'time-zone',
    asked,
    (ui) => ui.chosenZone,
    (chosen) => (isZoneName(chosen) ? { chosenZone: chosen } : {}),
  );
}

/** The fields of what may be anything. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
