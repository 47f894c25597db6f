/** The command palette: screens, commands of the screen in view and themes, matched as they are typed. Pure. */
import { ALL_BINDINGS, type CommandId, type Scope } from '../keys/bindings.ts';
import type { ScreenId } from '../state/ui.ts';

export interface PaletteEntry {
  readonly label: string;
  readonly key: string;
  readonly command: CommandId | null;
  /** `theme NAME`. */
  readonly theme?: string;
  /** Changes the desk at once: only its own key does that, Enter does not. */
  readonly acts: boolean;
}

export function paletteEntries(
  text: string,
  screen: ScreenId,
  themes: readonly string[],
): readonly PaletteEntry[] {
  const scopes: readonly Scope[] = [screen, 'global', 'always'];
  const all: PaletteEntry[] = [];
  const seen = new Set<string>();
  for (const scope of scopes) {
    for (const binding of ALL_BINDINGS) {
      const known = seen.has(binding.command) || seen.has(binding.label);
      if (binding.scope !== scope || known || binding.command === 'palette.open') continue;
      seen.add(binding.command).add(binding.label);
      all.push({
        label: binding.label,
        key: binding.keys[0] ?? '',
        command: binding.command,
        acts: binding.acts === true,
      });
    }
  }
  for (const name of themes)
    all.push({ label: `theme ${name}`, key: '', command: null, theme: name, acts: false });
  const query = text.trim().toLowerCase();
  if (query === '') return all;
  return all
    .map((entry) => ({ entry, score: fuzzy(query, entry.label.toLowerCase()) }))
    .filter((match) => match.score !== null)
    .sort((a, b) => (a.score ?? 0) - (b.score ?? 0))
    .map((match) => match.entry);
}

/** Lower is better; null when the letters of `query` do not appear in this order. */
export function fuzzy(query: string, label: string): number | null {
  const direct = label.indexOf(query);
  if (direct >= 0) return direct;
  let at = -1;
  let gaps = 0;
  for (const char of query) {
    const next = label.indexOf(char, at + 1);
    if (next < 0) return null;
    if (at >= 0) gaps += next - at - 1;
    at = next;
  }
  return 100 + gaps;
}
