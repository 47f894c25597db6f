/**
 * What this terminal's operator finds again: read from the desk once it is connected, and written to it a
 * moment after a change. A part that cannot be read keeps its first values; parts of other versions are not
 * touched.
 */
import type { OperatorMemory } from '../../domain/operator-memory.ts';
import { listIds, withList } from '../lists/list-views.ts';
import type { ListId, UiState } from '../state/ui.ts';
import { loadTheme } from '../ui/theme.ts';
import { isZoneName } from '../ui/zone.ts';
import type { Feature, MemoryPart } from './feature.ts';
import { type Session, say } from './session.ts';

/** Delay from the last change to the write, ms. */
const SETTLED_MS = 1_000;

export interface MemoryOptions {
  readonly features: readonly Feature[];
  /** The theme of the start options: a theme chosen later is restored as long as this option is the same. */
  readonly theme: string;
  /** The time zone of the configuration, with the same rule. */
  readonly timeZone: string;
  /** Whether the configuration turns the mouse on, with the same rule. */
  readonly mouse: boolean;
}

/** Starts to restore and keep the memory; returns the function that ends that. */
export function keepMemory(
  session: Session,
  { features, theme, timeZone, mouse }: MemoryOptions,
): () => void {
  const parts = [
    LISTS,
    themePart(session, theme),
    zonePart(timeZone),
    mousePart(mouse),
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
        // The connection has ended: nobody can be told, and nothing was stored.
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
      // The desk keeps no memory: everything stays as it is at first, and nothing is written.
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

/** The sort order and filter of every list. */
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

/** A choice that is restored while the start option is the same as when it was chosen. */
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

function mousePart(asked: boolean): MemoryPart {
  return chosenPart(
    'mouse',
    String(asked),
    (ui) => ui.chosenMouse,
    (chosen) => (chosen === 'on' || chosen === 'off' ? { chosenMouse: chosen } : {}),
  );
}

/** Returns the fields of a value of unknown type. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
