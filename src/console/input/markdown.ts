/** The table of docs/keys.md, generated from the bindings so that it cannot drift: `name` is what `[keys]` takes. Pure. */
import { ALL_BINDINGS, type Scope, shownKeysOf } from './bindings.ts';

const PARTS: readonly { title: string; scopes: readonly Scope[] }[] = [
  { title: 'Everywhere', scopes: ['global', 'always'] },
  { title: 'Lists', scopes: ['list'] },
  { title: 'Overview', scopes: ['overview'] },
  { title: 'Orders', scopes: ['orders'] },
  { title: 'Trades', scopes: ['trades'] },
  { title: 'Bots', scopes: ['bots'] },
  { title: 'Portfolio', scopes: ['portfolio'] },
  { title: 'Positions', scopes: ['positions'] },
  { title: 'Keys', scopes: ['keys'] },
  { title: 'Accounts', scopes: ['accounts'] },
  { title: 'Alerts', scopes: ['alerts'] },
  { title: 'Log', scopes: ['log'] },
  { title: 'Details', scopes: ['detail', 'chart'] },
  { title: 'Panic', scopes: ['panic-failed', 'panic'] },
  { title: 'Forms', scopes: ['form', 'choice'] },
  { title: 'Bot editor', scopes: ['editor', 'editor-choice'] },
  { title: 'Its results', scopes: ['editor-live'] },
  { title: 'A bot’s text', scopes: ['area', 'new-bot'] },
  { title: 'Confirmations', scopes: ['confirm', 'bulk'] },
  { title: 'Leaving', scopes: ['quit'] },
];

const HEAD = `# Keys of the console

All of them, by screen. \`name\` is what \`[keys]\` in \`config.toml\` takes; a command whose key is \`:\` is reached by the
palette. Made from the program's own table, from which help (\`?\`) and footer come too.

`;

/** docs/keys.md as a whole. */
export function keysDocument(): string {
  return HEAD + bindingsMarkdown();
}

export function bindingsMarkdown(): string {
  const lines = ['| where | key | what | name |', '|---|---|---|---|'];
  for (const part of PARTS) {
    let where = part.title;
    for (const binding of ALL_BINDINGS) {
      const { command, label, scope } = binding;
      if (!part.scopes.includes(scope)) continue;
      const shown = shownKeysOf(binding)
        .map((key) => `\`${key}\``)
        .join(' ');
      lines.push(`| ${where} | ${shown} | ${label} | \`${command}\` |`);
      where = '';
    }
  }
  return `${lines.join('\n')}\n`;
}
