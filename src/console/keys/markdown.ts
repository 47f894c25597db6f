/** The README's key table, generated from the bindings so that it cannot drift. Pure. */
import { ALL_BINDINGS, type Scope } from './bindings.ts';

const PARTS: readonly { title: string; scopes: readonly Scope[] }[] = [
  { title: 'Everywhere', scopes: ['global', 'always'] },
  { title: 'Lists', scopes: ['list'] },
  { title: 'Overview', scopes: ['overview'] },
  { title: 'Orders', scopes: ['orders'] },
  { title: 'Positions', scopes: ['positions'] },
  { title: 'Keys', scopes: ['keys'] },
  { title: 'Log', scopes: ['log'] },
  { title: 'Forms', scopes: ['form', 'choice'] },
  { title: 'Confirmations', scopes: ['confirm'] },
  { title: 'Leaving', scopes: ['quit'] },
];

export function bindingsMarkdown(): string {
  const lines = ['| where | key | what |', '|---|---|---|'];
  for (const part of PARTS) {
    let where = part.title;
    for (const { keys, label, scope } of ALL_BINDINGS) {
      if (!part.scopes.includes(scope)) continue;
      const shown = keys.map((key) => `\`${key}\``).join(' ');
      lines.push(`| ${where} | ${shown} | ${label} |`);
      where = '';
    }
  }
  return `${lines.join('\n')}\n`;
}
