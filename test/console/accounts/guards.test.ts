/**
 * The guards of an account on the Accounts screen: their meters, their form, and what is asked of the desk.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  newAccountForm,
  readAccountForm,
  withAccountValue,
} from '../../../src/console/accounts/account-forms.ts';
import { accountLines } from '../../../src/console/accounts/account-list.ts';
import { guardLines } from '../../../src/console/accounts/guard-form.ts';
import { headerLine } from '../../../src/console/app/header.ts';
import { guardRows } from '../../../src/console/trading/guard-meters.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import type { GuardsView } from '../../../src/desk/console/protocol.ts';
import { type LossMeter, NO_GUARDS } from '../../../src/domain/guards.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { account, deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';

const SPOT = 'paper-spot';
const open = rigPerTest();

const GUARDS: GuardsView = {
  set: {
    ...NO_GUARDS,
    maxOrderValue: '1000',
    maxPositionValue: '5000',
    maxOpenOrders: 200,
    maxOrdersPerMinute: 120,
    priceBand: '10',
  },
  meters: { position: { symbol: 'BTCUSDT', value: '3050.01' }, openOrders: 14, entries: 3, loss: null },
};
const world = (guards?: GuardsView) => deskState({ accounts: [account(SPOT, guards ? { guards } : {})] });
const LOSS = { dailyLossLimit: '5' };

function losing(more: object): GuardsView {
  const known = {
    known: true,
    base: '70000',
    since: NOON,
    lost: '300',
    counted: '300',
    limit: '3500',
    left: '3200',
  };
  return lossOf({ reachedAt: null, ...known, ...more } as LossMeter);
}

function unknownLoss(why: string): GuardsView {
  return lossOf({ reachedAt: null, known: false, why });
}

function lossOf(loss: LossMeter): GuardsView {
  return { set: { ...NO_GUARDS, ...LOSS }, meters: { position: null, openOrders: 0, entries: 0, loss } };
}

const text = (guards: GuardsView, width = 100) =>
  guardLines(guards, width).map((line) => line.map((part) => part.text).join(''));

describe('in a review', () => {
  it('each guard of the account is named with how full it is, this order first', () => {
    expect(guardRows(world(GUARDS), SPOT, '400')).toEqual([
      {
        name: 'guards',
        value:
          'this order 40 % · position BTCUSDT 61 % · open orders 7 % · orders a minute 2 % of their limits',
        tone: undefined,
      },
    ]);
    const tones = ['799', '800', '1000'].map((notional) => guardRows(world(GUARDS), SPOT, notional)[0]?.tone);
    expect(tones).toEqual([undefined, 'warn', 'danger']);
  });

  it('nothing is said of an account without guards, or whose order has no worth yet', () => {
    expect([guardRows(world(), SPOT, '400'), guardRows(world(GUARDS), 'gone', '400')]).toEqual([[], []]);
    expect(guardRows(world(GUARDS), SPOT, null)[0]?.value).not.toContain('this order');
  });

  it('stands in the question of an order', async () => {
    const screen = await open(new FakeDesk(world(GUARDS)));
    await screen.press(':', 'buy 0.1 btc 60000', ENTER, CTRL_R);
    await screen.shows('guards      this order');
  });
});

describe('meters', () => {
  it('are one line where there is room', () => {
    expect(text(GUARDS)).toEqual([
      'order up to 1,000 · position 62 % of 5,000 · open 14/200 · 3/120 a minute · band 10 %',
    ]);
    const many = Array.from({ length: 30 }, (_, n) => `COIN${n}USDT`);
    expect(text({ ...GUARDS, set: { ...NO_GUARDS, symbols: many } })).toEqual(['only 30 symbols']);
  });

  it('are off when none is set', () => {
    const shown = accountLines(account(SPOT), world(), NOON, 80).map((line) =>
      line.map((part) => part.text).join(''),
    );
    expect(shown.some((line) => /guards +off/.test(line))).toBe(true);
  });

  it('say what is nearly used up, and what cannot be known', () => {
    const toned = (meters: Partial<NonNullable<GuardsView['meters']>>) =>
      guardLines({ ...GUARDS, meters: { ...GUARDS.meters, ...meters } as never }, 200)
        .flat()
        .filter(({ tone }) => tone === 'warn')
        .map((part) => part.text);
    expect(toned({})).toEqual([]);
    expect(toned({ openOrders: 160 })).toEqual(['open 160/200']);
    expect(toned({ entries: 95 })).toEqual([]);
    expect(toned({ position: { symbol: 'BTCUSDT', value: '4000' } })).toEqual(['position 80 % of 5,000']);
    expect(toned({ position: { symbol: 'BTCUSDT', value: null } })).toEqual(['position not known of 5,000']);
  });

  it('say what was lost, beside what, and what is left', () => {
    expect(text(losing({}))).toEqual(['lost 300.00 of 3,500.00 today · left 3,200.00 · base 70,000.00']);
    expect(text(losing({ lost: '-12.5', counted: '-12.5', left: '3500' }))[0]).toMatch(
      /^lost 0 of 3,500.00 today/,
    );
    expect(text(losing({ reachedAt: NOON, lost: '3500', counted: '3500', left: '0' }))).toEqual([
      'LOSS LIMIT REACHED, L lifts it · lost 3,500.00 of 3,500.00 today · left 0.00 · base 70,000.00',
    ]);
    expect(text(losing({ counted: '100' }))[0]).toMatch(/^lost 100.00 of 3,500.00 since it was lifted/);
    expect(text(unknownLoss('no price of ETH is known'))).toEqual([
      'loss not known: no price of ETH is known',
    ]);
  });

  it('never are wider than the screen', () => {
    const some = fc.constantFrom(GUARDS, losing({ reachedAt: NOON }), unknownLoss('w'.repeat(300)));
    fc.assert(
      fc.property(fc.integer({ min: 80, max: 200 }), some, (width, guards) => {
        const row = account(SPOT, { guards });
        for (const line of accountLines(row, world(guards), NOON, width))
          expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('the form', () => {
  const read = (values: Record<string, string>, guards?: GuardsView) =>
    readAccountForm(
      Object.entries(values).reduce(
        (form, [id, value]) => withAccountValue(form, id, value),
        newAccountForm('guards', SPOT, world(guards)),
      ),
      world(guards),
    );

  it('asks for what is changed alone; off and an empty field switch one off', () => {
    expect(read({})).toMatchObject({ problem: { message: 'nothing is changed' } });
    expect(read({ maxOrderValue: '1000', maxOpenOrders: '20', symbols: 'btcusdt, ethusdt' })).toEqual({
      action: {
        type: 'guards',
        exchange: SPOT,
        change: { maxOrderValue: '1000', maxOpenOrders: 20, symbols: ['BTCUSDT', 'ETHUSDT'] },
      },
    });
    expect(read({ maxOpenOrders: '', priceBand: 'off', maxOrderValue: '1000' }, GUARDS)).toMatchObject({
      action: { change: { maxOpenOrders: null, priceBand: null } },
    });
  });

  it.each([
    ['maxOrderValue', '0', 'a number above 0 in USDT, such as 1000, or off'],
    ['maxOpenOrders', '1.5', 'a whole number from 1 to 1000000, or off'],
    ['priceBand', 'x', 'percent above 0 and below 1000, such as 10, or off'],
    ['symbols', 'NOUSDT', 'NOUSDT is not traded on this account'],
  ])('says what is wrong with %s %s', (field, value, message) => {
    expect(read({ [field]: value })).toEqual({ problem: { field, message } });
  });

  it.each([
    [80, 24],
    [200, 50],
  ])('and its review at %d x %d', async (columns, rows) => {
    const desk = new FakeDesk(world(GUARDS));
    const screen = await open(desk, { columns, rows });
    await screen.press('7', 'm', '\x15', '2000', '\t', '\t', '\x15', 'off');
    expect(screen.screenText()).toMatchSnapshot();
    await screen.press(CTRL_R);
    expect(screen.screenText()).toMatchSnapshot();
    expect(desk.calls.filter(({ method }) => method === 'guards.set')).toEqual([]);
    await screen.press(ENTER, CTRL_R, 'y');
    await screen.shows('paper-spot: guards changed');
    expect(desk.calls.filter(({ method }) => method === 'guards.set')).toMatchObject([
      { params: { exchange: SPOT, change: { maxOrderValue: '2000', maxOpenOrders: null } } },
    ]);
  });
});

describe('the header', () => {
  const badge = (guards: GuardsView, width = 200) =>
    headerLine(world(guards), 0, width)
      .filter(({ text: part }) => /guard|LOSS|loss/.test(part))
      .map(({ text: part, tone }) => [part.trim(), tone]);

  it('has the guard that is nearest to its limit, and in red one that is reached', () => {
    expect(badge(GUARDS)).toEqual([['guard: position 61 %', 'muted']]);
    expect(badge(losing({ counted: '2800' }))).toEqual([['guard: loss 80 %', 'warn']]);
    expect(badge({ ...GUARDS, meters: { ...GUARDS.meters, openOrders: 200 } as never })).toEqual([
      ['guard: open orders 100 %', 'danger'],
    ]);
    expect(badge(unknownLoss('x'))).toEqual([['loss not known', 'warn']]);
    expect(badge(losing({ reachedAt: NOON }))).toEqual([['LOSS LIMIT', 'danger']]);
  });

  it('has what is worst of all accounts, in whatever order they come', () => {
    const parts = (...guards: readonly (GuardsView | 'failing' | undefined)[]) => {
      const accounts = guards.map((one, at) => {
        const deadMan = { form: 'account', seconds: 60, symbols: [], running: true, failing: true } as const;
        return account(`account-${at}`, one === 'failing' ? { deadMan } : one ? { guards: one } : {});
      });
      const both = [accounts, accounts.toReversed()].map((these) =>
        headerLine(deskState({ accounts: these }), 0, 200)
          .filter(({ text: part }) => /guard|LOSS|loss|DEAD/.test(part))
          .map(({ text: part }) => part.trim()),
      );
      expect(both[1]).toEqual(both[0]);
      return both[0];
    };
    const half: GuardsView = { ...GUARDS, meters: { ...GUARDS.meters, openOrders: 180 } as never };
    const none: GuardsView = { set: NO_GUARDS, meters: null };
    expect(parts(GUARDS, none, half, undefined)).toEqual(['guard: open orders 90 %']);
    expect(parts(half, undefined, unknownLoss('x'))).toEqual(['loss not known']);
    expect(parts(unknownLoss('x'), losing({}), losing({ reachedAt: NOON }))).toEqual(['LOSS LIMIT']);
    expect(parts(undefined, losing({ reachedAt: NOON }), 'failing')).toEqual(['DEAD-MAN SWITCH']);
    expect(parts(undefined, none)).toEqual([]);
  });

  it('says at any width that a loss limit is reached', () => {
    for (let width = 60; width < 200; width++)
      expect(badge(losing({ reachedAt: NOON }), width)).toEqual([[expect.stringMatching(/^LOSS/), 'danger']]);
  });
});

describe('lifting', () => {
  it('asks for the name of the account, and says what may be lost again', async () => {
    const desk = new FakeDesk(world(losing({})));
    const screen = await open(desk, { columns: 80, rows: 24 });
    await screen.press('7', 'L');
    await screen.shows('no loss limit of paper-spot is reached');
    const guards = losing({ reachedAt: NOON, lost: '3600', counted: '3600', left: '0' });
    desk.push({ accounts: [account(SPOT, { guards })] });
    await screen.shows('LOSS');
    await screen.press('L');
    expect(screen.screenText()).toMatchSnapshot();
    await screen.press('y', ENTER);
    expect(desk.calls.filter(({ method }) => method === 'guards.lift')).toEqual([]);
    await screen.press(ESC, 'L', ...SPOT, 'y');
    await screen.shows('paper-spot takes entries');
    expect(desk.calls.filter(({ method }) => method === 'guards.lift')).toMatchObject([
      { params: { exchange: SPOT } },
    ]);
  });
});
