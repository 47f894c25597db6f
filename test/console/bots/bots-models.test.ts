/**
 * The Bots screen's models: reading and writing JSON, templates, rows, chart, stop rules, texts of the
 * dialogs.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import type { MarketRules, SettingsWorld } from '../../../src/bots/settings/compiled.ts';
import { chartFrame, frameName, longerFrames } from '../../../src/console/bots/bot-chart.ts';
import { confirmDelete, confirmStart } from '../../../src/console/bots/bot-confirmations.ts';
import { tidy } from '../../../src/console/bots/bot-detail.ts';
import { readDraft } from '../../../src/console/bots/bot-draft.ts';
import type { BotRuleForm, BotStopForm } from '../../../src/console/bots/bot-forms.ts';
import { readJson } from '../../../src/console/bots/bot-json.ts';
import { botRows } from '../../../src/console/bots/bot-list.ts';
import { printJson } from '../../../src/console/bots/bot-print.ts';
import { fromRule, ruleFields, ruleParams, ruleProblem } from '../../../src/console/bots/bot-rules.ts';
import { cleanedUp, confirmStop, stopRows } from '../../../src/console/bots/bot-stop.ts';
import { botTemplate } from '../../../src/console/bots/bot-templates.ts';
import {
  areaOf,
  atLine,
  breakLine,
  cursorOf,
  eraseAfter,
  eraseBefore,
  insert,
  MAX_AREA,
  moved,
  movedLines,
  replace,
  type TextArea,
  undone,
} from '../../../src/console/forms/text-area.ts';
import { depositOf, symbolOf } from '../../../src/console/trading/bots.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import { BOT_TYPES } from '../../../src/schemas/bots/bot-type.ts';
import { bot, botOrders, detailOf, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

describe('reading JSON that is being written', () => {
  it('reads what JSON.parse reads, and knows the line of every value', () => {
    const text = '{\n  "a": [1, {"b": "x"}],\n  "c": {\n    "d": null\n  }\n}';
    const { value, problem, lines } = readJson(text);
    expect(problem).toBeNull();
    expect(value).toEqual(JSON.parse(text));
    expect([...lines]).toEqual([
      ['', 1],
      ['a', 2],
      ['a[0]', 2],
      ['a[1]', 2],
      ['a[1].b', 2],
      ['c', 3],
      ['c.d', 4],
    ]);
  });

  it('agrees with JSON.parse on any value, printed either way', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 10, max: 100 }), (value, width) => {
        fc.pre(!/__proto__|"constructor"|"prototype"/.test(JSON.stringify(value)));
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(readJson(JSON.stringify(value)).value).toEqual(plain);
        expect(readJson(printJson(value, width).join('\n')).value).toEqual(plain);
      }),
    );
  });

  it('refuses what JSON.parse refuses, whatever is done to a text', () => {
    const text = printJson({ a: [1, 2.5, 'x"y'], b: { c: true } }).join('\n');
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(3), fc.string({ maxLength: 2 }), (at, cut, put) => {
        const broken = text.slice(0, at) + put + text.slice(at + cut);
        let parsed: unknown;
        try {
          parsed = JSON.parse(broken);
        } catch {
          expect(readJson(broken).problem).not.toBeNull();
          return;
        }
        const { value, problem } = readJson(broken);
        if (problem === null) expect(value).toEqual(parsed);
        else expect(problem.message).toMatch(/given twice|not allowed|surrogate/);
      }),
    );
  });

  it.each([
    ['{\n  "a": 1,\n  "a": 2\n}', 3, 3, 'the field "a" is given twice'],
    ['{"a": }', 1, 7, 'a value expected, found "}"'],
    ['{"a": 1', 1, 8, '"," or "}" expected, found the end'],
    ['{"a": "x\n"}', 1, 7, 'the string is not closed'],
    ['{"__proto__": 1}', 1, 2, 'the field name __proto__ is not allowed'],
    ['{} x', 1, 4, 'nothing more expected, found "x"'],
    ['{"a": 1e999}', 1, 7, 'the number is too large'],
    [`${'['.repeat(33)}`, 1, 33, 'nested more than 32 deep'],
  ])('says where and why: %j', (text, line, column, message) => {
    expect(readJson(text).problem).toEqual({ line, column, message });
  });
});

describe('printing JSON', () => {
  it('keeps short parts on one line and breaks the rest', () => {
    const text = printJson({
      symbol: { base: 'BTC', quote: 'USDT' },
      list: ['x'.repeat(40), 'y'.repeat(40)],
    });
    expect(text).toEqual([
      '{',
      '  "symbol": { "base": "BTC", "quote": "USDT" },',
      '  "list": [',
      `    "${'x'.repeat(40)}",`,
      `    "${'y'.repeat(40)}"`,
      '  ]',
      '}',
    ]);
  });
});

describe('a text of several lines', () => {
  it('is written, broken with its indent, erased, and taken back step by step', () => {
    let area = areaOf('{\n  "a": 1\n}');
    area = moved(atLine(area, 1), 'end');
    area = breakLine(area);
    expect(cursorOf(area)).toEqual({ row: 2, column: 2 });
    for (const char of '"b"') area = insert(area, char);
    expect(area.text).toBe('{\n  "a": 1\n  "b"\n}');
    area = eraseBefore(area);
    expect(area.text).toContain('  "b\n');
    area = undone(undone(area));
    expect(area.text).toBe('{\n  "a": 1\n  \n}');
    area = undone(area);
    expect(area.text).toBe('{\n  "a": 1\n}');
    expect(undone(area)).toBe(area);
  });

  it('keeps the column through shorter lines', () => {
    const area = moved(atLine(areaOf('123456\n12\n123456'), 0), 'end');
    const below = movedLines(area, 1);
    expect(cursorOf(below)).toEqual({ row: 1, column: 2 });
    expect(cursorOf(movedLines(below, 1))).toEqual({ row: 2, column: 6 });
    expect(cursorOf(moved(movedLines(below, 9), 'start'))).toEqual({ row: 2, column: 0 });
  });

  it('holds nothing invisible, and no more than it may', () => {
    const { text } = areaOf('a\u202eb\x1b[2J\r\nc\td\u2028e\ud800');
    expect(text).toBe('ab[2J\nc  d\ne\ufffd');
    const full = areaOf('x'.repeat(MAX_AREA + 10));
    expect(full.text).toHaveLength(MAX_AREA);
    expect(insert(full, 'y')).toBe(full);
  });

  it('whatever is done, the cursor stands between whole characters and undo leads back', () => {
    const steps: readonly ((area: TextArea) => TextArea)[] = [
      (area) => insert(area, '😀'),
      (area) => insert(area, 'ab\nc'),
      breakLine,
      eraseBefore,
      eraseAfter,
      (area) => moved(area, 'left'),
      (area) => moved(area, 'right'),
      (area) => moved(area, 'start'),
      (area) => moved(area, 'end'),
      (area) => movedLines(area, 1),
      (area) => movedLines(area, -1),
      (area) => replace(area, 'x\n😀😀\ny'),
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 60 }), (done) => {
        const first = areaOf('one\n😀two\n\nthree');
        let area = first;
        for (const step of done) {
          area = step(area);
          expect(area.text.isWellFormed()).toBe(true);
          expect(area.text.slice(0, area.at).isWellFormed()).toBe(true);
          expect(area.at).toBeGreaterThanOrEqual(0);
          expect(area.at).toBeLessThanOrEqual(area.text.length);
        }
        while (area.undo.length > 0) area = undone(area);
        expect(area.text).toBe(first.text);
      }),
    );
  });
});

describe('a draft', () => {
  const accounts = ['paper-spot', 'paper-futures'];
  const settings = { exchange: 'paper-spot', symbol: { base: 'BTC', quote: 'USDT' } };

  // proves: endpoint POST /bots
  it('takes the body of POST /bots, and settings alone that name their type', () => {
    const whole = { type: 'SQUEEZE', settings, options: { restart: true }, metadata: 'm', tag: 't' };
    expect(readDraft(JSON.stringify(whole), accounts)).toMatchObject({ bot: whole, problems: [] });
    const alone = readDraft(JSON.stringify({ type: 'SQUEEZE', ...settings }), accounts);
    expect(alone.bot).toEqual({ type: 'SQUEEZE', settings: { type: 'SQUEEZE', ...settings } });
  });

  it('of an empty tag has none, of one of fifty characters that, also where they are pairs', () => {
    const tagged = (tag: string) =>
      readDraft(JSON.stringify({ type: 'SQUEEZE', settings, tag }), accounts).bot;
    expect(tagged('')).toEqual({ type: 'SQUEEZE', settings });
    for (const tag of ['x'.repeat(50), '💰'.repeat(50)]) expect(tagged(tag)?.tag).toBe(tag);
    expect(tagged('💰'.repeat(51))).toBeNull();
  });

  it('takes a bot as the API shows it, and says what is left behind', () => {
    const shown = { id: 'b1', status: 'STOPPED', type: 'SQUEEZE', exchange: 'paper-spot', settings };
    const { bot: made, warnings } = readDraft(JSON.stringify(shown), accounts);
    expect(made).toEqual({ type: 'SQUEEZE', settings });
    expect(warnings.map(({ text }) => text)).toEqual([
      'id: left behind; a new bot gets its own',
      'status: left behind; a new bot gets its own',
      'exchange: left behind; a new bot gets its own',
    ]);
  });

  it.each([
    ['', 'nothing written yet'],
    ['[]', 'a JSON object is needed'],
    ['{"type":"SQUEEZ","settings":{"exchange":"paper-spot"}}', 'type: must be one of FIBO'],
    ['{"type":"SQUEEZE","settings":{"exchange":"nowhere"}}', 'settings.exchange: must be one of paper-spot'],
    ['{"type":"SQUEEZE","settings":[]}', 'settings: must be an object'],
    [
      '{"type":"SQUEEZE","settings":{"exchange":"paper-spot","type":"FIBO"}}',
      'settings.type: must be SQUEEZE',
    ],
    ['{"type":"SQUEEZE","settings":{"exchange":"paper-spot"},"metadata":1}', 'metadata: must be a text'],
    ['{"type":"SQUEEZE","settings":{"exchange":"paper-spot"},"options":1}', 'options: must be an object'],
    [`{"type":"SQUEEZE","settings":{"exchange":"paper-spot"},"tag":"${'x'.repeat(51)}"}`, 'tag: must be'],
  ])('cannot be created: %s', (text, words) => {
    const { bot: made, problems } = readDraft(text, accounts);
    expect(made).toBeNull();
    expect(problems.map((note) => note.text).join('; ')).toContain(words);
  });

  it('finds the line of a check’s path, or of what it is missing in', () => {
    const text = printJson({
      type: 'SQUEEZE',
      settings: { ...settings, deposit: { value: 'x'.repeat(60), asset: 'USDT' } },
      options: {},
    }).join('\n');
    const { lineOf } = readDraft(text, accounts);
    const line = (path: string) => text.split('\n')[(lineOf(path) ?? 0) - 1]?.trim().slice(0, 9);
    expect(line('deposit.value')).toBe('"value": ');
    expect(line('deposit.strategy')).toBe('"deposit"');
    expect(line('price.percent.buy')).toBe('"settings');
    expect(line('options.restart')).toBe('"options"');
    expect(lineOf('stop[x].y')).toBe(lineOf('settings.nothing'));
  });

  it('offers the name that was meant', () => {
    const text = JSON.stringify({ type: 'SQUEEZE', settings, optoins: {} });
    expect(readDraft(text, accounts).warnings[0]?.text).toContain('did you mean options?');
  });
});

describe('templates', () => {
  const market = (symbol: string, tick: string, kind: 'spot' | 'futures'): Instrument => ({
    ...(deskState().instruments[0] as Instrument),
    exchange: `paper-${kind}`,
    symbol,
    base: symbol.slice(0, -4),
    kind,
    tickSize: tick,
  });

  function world({ symbol, base, quote, kind, tickSize, exchange }: Instrument): SettingsWorld {
    const rules: MarketRules = {
      symbol,
      base,
      quote,
      kind,
      tick: dec(tickSize),
      step: dec('0.00001'),
      minQty: dec('0.00001'),
      minNotional: dec('5'),
      makerRate: dec('0.001'),
      takerRate: dec('0.001'),
      maxLeverage: 20,
    };
    return {
      now: NOON,
      accounts: new Map([[exchange, { kind, hedge: false }]]),
      instrument: (_, name) => (name === symbol ? rules : null),
      symbols: () => [symbol],
      targets: [],
    };
  }

  it.each(BOT_TYPES)('%s is valid as it stands, at any price, without a warning', (type) => {
    for (const [symbol, tick, last] of [
      ['BTCUSDT', '0.01', '61234.10'],
      ['DOGEUSDT', '0.00001', '0.16212'],
      ['PEPEUSDT', '0.00000001', '0.00001234'],
      ['ETHUSDT', '1', '3120'],
      ['ADAUSDT', '0.0001', null],
    ] as const) {
      for (const kind of ['spot', 'futures'] as const) {
        const instrument = market(symbol, tick, kind);
        const text = botTemplate(type, { instrument, last, now: NOON });
        const { bot: made, problems } = readDraft(text, [instrument.exchange]);
        expect(problems).toEqual([]);
        const compiled = compileBot(type, made?.settings, made?.options, world(instrument));
        expect({ type, symbol, ...compiled }).toMatchObject({ ok: true, warnings: [] });
      }
    }
  });

  it('has its levels around the price', () => {
    const ground = { instrument: market('BTCUSDT', '0.01', 'spot'), last: '60000', now: NOON };
    const { settings } = JSON.parse(botTemplate('CHANNEL', ground));
    expect(settings.grid).toEqual({ low: '57000.00', high: '63000.00', count: 11 });
  });
});

describe('rows', () => {
  const view = { filter: '', sort: 'status', reverse: false } as const;
  const ids = (options: Partial<Parameters<typeof botRows>[1]>) =>
    botRows(someBots(), { ...view, ...options }).map(({ id }) => id.slice(0, 7));

  it('errors first, then what runs, each newest first; and backwards', () => {
    expect(ids({})).toEqual(['b2error', 'b1alarm', 'b8a2c4e', 'b7f3k2m', 'b4newbo', 'b3stopp']);
    expect(ids({ reverse: true })[0]).toBe('b3stopp');
  });

  it('by PnL, those without any last', () => {
    expect(ids({ sort: 'PnL' })).toEqual(['b3stopp', 'b7f3k2m', 'b8a2c4e', 'b2error', 'b4newbo', 'b1alarm']);
  });

  it('filters by everything that stands in a row, all words at once', () => {
    expect(ids({ filter: 'started btc' })).toEqual(['b7f3k2m']);
    expect(ids({ filter: 'DIP' })).toEqual(['b7f3k2m']);
    expect(ids({ filter: 'paper-futures' })).toEqual(['b2error']);
    expect(ids({ filter: 'breaks out' })).toEqual(['b1alarm']);
  });

  it('reads symbol and deposit from settings of any kind', () => {
    const of = (settings: Record<string, unknown>, type: 'SQUEEZE' | 'NOTIFY' = 'SQUEEZE') =>
      [symbolOf({ settings, type }), depositOf({ settings })] as const;
    expect(of({ symbol: { base: 'BTC', quote: 'USDT' }, deposit: { value: 5, asset: 'USDT' } })).toEqual([
      'BTCUSDT',
      '5 USDT',
    ]);
    expect(of({ symbol: 'ETHUSDT', deposit: { value: '5', asset: 'USDT', strategy: 'percent' } })).toEqual([
      'ETHUSDT',
      '5 % USDT',
    ]);
    expect(of({ symbol: { base: 'BTC' }, ticker: 'XBTUSD', deposit: 'much' })).toEqual(['XBTUSD', null]);
    expect(of({ symbol: [1], deposit: { value: {} } })).toEqual(['', null]);
    expect(of({}, 'NOTIFY')[0]).toBe('all');
  });
});

describe('the chart', () => {
  it('takes the shortest candles that the time fits into', () => {
    expect(
      [chartFrame(3_600_000, 60), chartFrame(3_600_001, 60), chartFrame(1e12, 60)].map(frameName),
    ).toEqual(['1 min', '3 min', '1 d']);
    expect(frameName(4 * 3_600_000)).toBe('4 h');
    // Where the feed has none of these frames, longer ones; each of them is asked for.
    expect(longerFrames(8 * 3_600_000).map(frameName)).toEqual(['8 h', '12 h', '1 d']);
    expect([59, 60, 1_439].map((minutes) => frameName(minutes * 60_000))[0]).toBe('59 min');
    expect([frameName(3_600_000), frameName(24 * 3_600_000)]).toEqual(['1 h', '1 d']);
  });
});

describe('stop rules', () => {
  const form: BotRuleForm = {
    kind: 'bot-rule',
    id: 'b',
    runId: 'r',
    command: 'add_stoploss',
    rule: 0,
    strategy: 'price_percent_buy',
    trigger: 'kline',
    value: ' 2.5 ',
    percent: '',
    stopPrice: '',
    order: 'MARKET',
    complete: true,
    closed: false,
    disabled: false,
    focus: 'command',
    detail: null,
    refusal: null,
  };
  const stops = detailOf(someBots().b7f3k2m9q10 ?? bot('x'), {}).live?.stops ?? [];

  it('a new one has what was written and nothing else', () => {
    expect(ruleParams(form, [], NOON)).toEqual({
      strategy: 'price_percent_buy',
      trigger: { type: 'kline', value: '2.5', closed: false },
      order: { type: 'MARKET' },
      complete: true,
      disabled: false,
    });
    expect(
      ruleParams({ ...form, strategy: 'fixed', stopPrice: '59000', order: 'STOP_MARKET' }, [], NOON),
    ).toEqual({
      strategy: 'fixed',
      trigger: { type: 'kline', closed: false },
      order: { type: 'STOP_MARKET', stopPrice: '59000' },
      complete: true,
      disabled: false,
    });
  });

  it('one price is a line that stays there; two points are a line', () => {
    const value = (text: string) =>
      (ruleParams({ ...form, strategy: 'price', value: text }, [], 1_000).trigger as { value: unknown })
        .value;
    expect(value('59000')).toEqual({ '1000': '59000', '86401000': '59000' });
    expect(value('1700000000000:100 1700003600000:110')).toEqual({
      '1700000000000': '100',
      '1700003600000': '110',
    });
    expect(ruleProblem({ ...form, strategy: 'price', value: '1:2' }, [])).toContain('TIME:PRICE');
    expect(ruleProblem({ ...form, value: 'two' }, [])).toBe('write a number');
    expect(ruleProblem({ ...form, strategy: 'fixed' }, [])).toBe('write a price');
  });

  it('a change keeps what the rule has, under the value that finds it', () => {
    const change = { ...form, command: 'update_stoploss' as const, ...fromRule(stops[0]) };
    expect(ruleParams({ ...change, complete: false }, stops, NOON)).toEqual({
      strategy: 'price_percent_buy',
      trigger: { type: 'kline', value: '2', closed: false },
      order: { type: 'MARKET' },
      complete: false,
      disabled: false,
    });
    expect(ruleParams({ ...change, value: '3' }, stops, NOON)).toMatchObject({ trigger: { value: '3' } });
    expect(ruleFields(change)).not.toContain('strategy');
  });

  it('a deletion sends the rule as it is', () => {
    const gone = { ...form, command: 'delete_stoploss' as const, rule: 1 };
    expect(ruleParams(gone, stops, NOON)).toEqual(stops[1]?.rule);
    expect(ruleProblem({ ...gone, rule: 5 }, stops)).toBe('the run has no stop rules');
  });
});

describe('what the dialogs say', () => {
  const state = deskState({ bots: someBots(), orders: botOrders() });
  const dip = someBots().b7f3k2m9q10 ?? bot('x');

  // proves: endpoint DELETE /bots/{id}/runs/{runId}
  it('a clean-up goes by side: entries of a long are buys, of a short sells', () => {
    const orders = [order('a'), order('b', { side: 'SELL' })];
    const cancelled = (short: boolean, cleanup: Parameters<typeof cleanedUp>[2]) =>
      cleanedUp(bot('x', { settings: { short } }), orders, cleanup).cancelled.map(({ id }) => id);
    expect(cancelled(false, 'cancelAllOrders')).toEqual(['a', 'b']);
    expect(cancelled(false, 'cancelBuyOrders')).toEqual(['a']);
    expect(cancelled(true, 'cancelBuyOrders')).toEqual(['b']);
    expect(cancelled(false, 'leaveAllOrders')).toEqual([]);
  });

  it('the entries of an ALGO that sells are its sells', () => {
    const orders = [order('a'), order('b', { side: 'SELL' })];
    const algo = bot('x', { type: 'ALGO', settings: { side: 'SELL' } });
    const { cancelled, left } = cleanedUp(algo, orders, 'cancelBuyOrders');
    expect([cancelled, left].map((some) => some.map(({ id }) => id))).toEqual([['b'], ['a']]);
  });

  it('a stop asks for a word only when it sells or is of several', () => {
    const form = {
      kind: 'bot-stop',
      runs: [[dip.id, 'run']],
      cleanup: 'cancelAllOrders',
      sell: false,
      force: false,
      focus: 'review',
      detail: detailOf(dip, state.orders),
    } as const;
    expect(confirmStop(state, form).word).toBeUndefined();
    expect(confirmStop(state, { ...form, sell: true })).toMatchObject({
      word: 'sell BTCUSDT',
      action: { way: { cleanup: 'cancelAllOrders', action: 'stop_and_sell' } },
    });
    const two = { ...form, runs: [...form.runs, ['b8a2c4e6g80', 'run2'] as const], detail: null };
    expect(confirmStop(state, two).word).toBe('stop 2');
    expect(confirmStop(state, { ...two, sell: true, force: true })).toMatchObject({
      word: 'sell 2',
      action: { way: { force: true } },
    });
  });

  it('what a bot holds is said from its own answer: another bot’s is none', () => {
    const form = (detail: ReturnType<typeof detailOf> | null): BotStopForm => ({
      kind: 'bot-stop',
      runs: [[dip.id, 'run']],
      cleanup: 'cancelAllOrders',
      sell: true,
      force: false,
      focus: 'review',
      detail,
    });
    const position = (detail: ReturnType<typeof detailOf> | null) =>
      stopRows(state, form(detail)).find(({ name }) => name === 'position')?.value;
    const own = detailOf(dip, state.orders);
    expect(position(own)).toContain('0.00327 BTCUSDT');
    expect(position(null)).toBe('asking …');
    expect(position({ ...own, bot: { ...dip, id: 'other' } })).not.toContain('BTCUSDT');
  });

  it('a symbol that nobody can type is no word', () => {
    const odd = bot('odd', { settings: { symbol: 'ＢＴＣ/💰' }, runId: 'r' });
    const form = {
      kind: 'bot-stop',
      runs: [['odd', 'r']],
      cleanup: 'cancelAllOrders',
      sell: true,
      force: false,
      focus: 'review',
      detail: null,
    } as const;
    expect(confirmStop({ ...state, bots: { odd } }, form).word).toBe('sell position');
  });

  it.each([
    [{ value: '100', asset: 'USDT' }, 'up to 100 USDT'],
    [{ value: '100', asset: 'USDT', leverage: 5 }, 'up to 500 USDT'],
    [{ value: '20', asset: 'USDT', strategy: 'percent', leverage: 5 }, 'up to 100 % of the free balance'],
    [{ asset: 'USDT' }, '–'],
  ])('starting says what its orders may come to, its deposit with its leverage: %j', (deposit, words) => {
    const starting = bot('x', { settings: { ...dip.settings, deposit } });
    const { rows } = confirmStart(state, [starting], []);
    expect(rows.find(({ name }) => name === 'notional')?.value).toContain(words);
  });

  it.each([
    [{ stopBelow: '90', sellOnExit: true }, 'ends beyond 90 and sells'],
    [{ stopBelow: '90', stopAbove: '110' }, 'ends beyond 90 and keeps what it holds'],
    [{ short: true, stopBelow: '90', stopAbove: '110' }, 'ends beyond 110 and keeps what it holds'],
    [{ short: true, stopBelow: '90' }, 'none: nothing limits a loss'],
    [{ stop: [{}, {}], stopBelow: '90' }, '2 rules'],
  ])('starting says what limits a loss: %j', (settings, words) => {
    const { rows } = confirmStart(
      state,
      [bot('x', { settings: { ...dip.settings, stop: undefined, ...settings } })],
      [],
    );
    expect(rows.find(({ name }) => name === 'stops')?.value).toBe(words);
  });

  it('deleting a running bot says that it is stopped first', () => {
    const rows = (bots: Parameters<typeof confirmDelete>[1]) =>
      confirmDelete(state, bots)
        .rows.map(({ value }) => value)
        .join('; ');
    expect(rows([dip])).toContain('it is stopped first: 2 open orders are cancelled');
    expect(rows([someBots().b3stopped00 ?? dip])).not.toContain('stopped first');
    expect(confirmDelete(state, [dip]).word).toBe('delete b7f3k2m');
    // The orders that a bot has left behind are not cancelled with it.
    const behind = order('behind', { creator: 'BOT', creatorId: 'b3stopped00' });
    const left = { ...state, orders: { ...state.orders, behind } };
    const both = confirmDelete(left, [dip, someBots().b3stopped00 ?? dip]);
    expect(both.rows.at(-1)?.value).toContain('1 of them are stopped first: 2 open orders are cancelled');
    expect(both).toMatchObject({ word: 'delete 2', action: { running: [dip.id] } });
  });
});

it('a mean keeps enough places to tell prices apart', () => {
  expect(['61120.400000000000001', '0.000012345678901', '100', '-0.5000', '1.99999999'].map(tidy)).toEqual([
    '61120.4',
    '0.000012345',
    '100',
    '-0.5',
    '1.9999',
  ]);
});
