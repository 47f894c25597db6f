/**
 * `[console]` and `[keys]` of the configuration file: what consoles use of it, and what the log says of the
 * rest.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/cli/config.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

const FILE = '/data/config.toml';

describe('[console]', () => {
  test('sets theme, characters, screen reader and risk', () => {
    const text = '[console]\ntheme = "light"\nascii = true\nscreen_reader = true\nrisk_percent = 0.5';
    expect(parseConfig(FILE, text).console).toEqual({
      theme: 'light',
      ascii: true,
      screenReader: true,
      riskPercent: 0.5,
      keys: [],
    });
  });

  test.each([
    ['theme = "../x"', 'console.theme cannot be "../x": it takes the name of a theme, such as dark or light'],
    ['risk_percent = 0', 'console.risk_percent cannot be 0: it takes a number above 0 and at most 100'],
    ['ascii = "yes"', 'console.ascii cannot be "yes": it takes true or false'],
  ])('refuses %s', (line, sentence) => {
    expect(() => parseConfig(FILE, `[console]\n${line}`)).toThrow(new UsageError(`${FILE}: ${sentence}`));
  });
});

describe('[keys]', () => {
  test('takes a key or a list by command, quoted or as tables in tables', () => {
    const text = '[keys]\n"order.cancel" = "%"\nticket.open = ["n", "ctrl-t"]\n[keys.bot]\nnew = "&"';
    const { console, warnings } = parseConfig(FILE, text);
    expect(console.keys).toEqual([
      ['order.cancel', '%'],
      ['ticket.open', ['n', 'ctrl-t']],
      ['bot.new', '&'],
    ]);
    expect(warnings).toEqual([]);
  });

  test('a bad entry starts the desk all the same and is a sentence in its log', () => {
    const text = '[keys]\n"order.cancle" = "c"\n"order.split" = "x"\n"order.cancel" = 3';
    const { options, warnings } = parseConfig(FILE, text);
    expect(options).toEqual({ limits: {} });
    expect(warnings).toEqual([
      `${FILE}: keys: "order.cancle" is no command; did you mean order.cancel?`,
      `${FILE}: keys: order.cancel takes a key or a list of keys`,
      `${FILE}: keys: order.split cannot be x: that is order.cancel already (cancel)`,
    ]);
  });

  test('is shown on its page as it works', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const [, example = ''] = /```toml\n(\[keys\]\n[\s\S]*?)```/.exec(page) ?? [];
    const { console, warnings } = parseConfig(FILE, example);
    expect(console.keys.length).toBeGreaterThan(2);
    expect(warnings).toEqual([]);
  });

  test('is a table', () => {
    expect(parseConfig(FILE, 'keys = 5').warnings).toEqual([
      `${FILE}: keys: "" is no command; docs/keys.md lists them`,
    ]);
  });
});
