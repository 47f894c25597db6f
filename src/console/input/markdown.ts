/**
 * The table of docs/keys.md, generated from the bindings so that it cannot drift: `name` is what `[keys]`
 * takes. Pure.
 */
import type { Keys } from './binding.ts';
import { shownKeysOf } from './shown-key.ts';

const HEAD = `# Keys of the console

All of them, by screen. \`name\` is what \`[keys]\` in \`config.toml\` takes; a command whose key is \`:\` is reached by the
palette. Made from the program's own table, from which help (\`?\`) and footer come too.

`;

/** The whole of docs/keys.md. */
export function keysDocument(keys: Keys): string {
  return HEAD + bindingsMarkdown(keys);
}

export function bindingsMarkdown({ bindings, parts }: Keys): string {
  const lines = ['| where | key | what | name |', '|---|---|---|---|'];
  for (const part of parts) {
    let where = part.title;
    for (const binding of bindings) {
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
