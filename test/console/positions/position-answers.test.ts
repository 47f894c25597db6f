/**
 * Forms and questions about a position: they concern that position alone, use present figures, and ignore
 * answers for another form.
 */
import { describe, expect, it } from 'vitest';
import type { PositionView } from '../../../src/desk/console/protocol.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { account, deskState } from '../support/some-desk.ts';
import { BRACKETS, position, somePositions, tier } from '../support/some-futures.ts';

const open = rigPerTest();

const kinds = (screen: Rig) => screen.session.ui.getState().dialogs.map(({ kind }) => kind);
const top = (screen: Rig) => screen.session.ui.getState().dialogs.at(-1);
const formOf = (screen: Rig) => {
  const form = screen.session.ui.getState().dialogs.findLast(({ kind }) => kind === 'position-form');
  if (form?.kind !== 'position-form') throw new Error('no form is open');
  return form;
};
const checked = (screen: Rig) => screen.until(() => !formOf(screen).stale);
const futures = (positions: readonly PositionView[], hedgeMode = false) => ({
  'paper-futures': { hedgeMode, leverage: {}, positions: [...positions] },
});

/** Sets the desk's positions and waits until the console knows them. */
async function becomes(screen: Rig, desk: FakeDesk, next: ReturnType<typeof futures>): Promise<void> {
  desk.push({ futures: next });
  await screen.until(() => {
    const { state } = screen.session.desk.getState();
    return state?.futures['paper-futures'] === next['paper-futures'];
  });
}

/** A desk whose order check computes the notional from the present size and price. */
function priced(state = deskState({ futures: somePositions() })): FakeDesk {
  const desk = new FakeDesk(state);
  desk.answers['orders.check'] = (draft) => {
    const last = desk.state.prices['paper BTCUSDT']?.last ?? '0';
    const size = draft.quantity ?? desk.state.futures['paper-futures']?.positions[0]?.amount ?? '0';
    return {
      problems: [],
      last,
      mark: last,
      notional: String(Number(size) * Number(draft.price ?? last)),
      fee: '1',
      feeAsset: 'USDT',
      distance: '1.00',
      available: '100000',
      availableAsset: 'USDT',
      margin: null,
      after: null,
      next: `It is a ${draft.type}.`,
    };
  };
  return desk;
}

const priceOf = (desk: FakeDesk, last: string) => {
  const price = desk.state.prices['paper BTCUSDT'];
  if (price) desk.push({ prices: { 'paper BTCUSDT': { ...price, last } } });
};

describe('the form of a position that has gone', () => {
  const long = position('BTCUSDT', { side: 'LONG' });
  const short = position('BTCUSDT', { side: 'SHORT', amount: '-0.2', liquidationPrice: '70000' });

  it.each(['c', 's'])('in hedge mode is not of the other side of the symbol (%s)', async (key) => {
    const desk = new FakeDesk(deskState({ futures: futures([long, short], true) }));
    const screen = await open(desk);
    await screen.press('5', key, '62000');
    await checked(screen);
    await becomes(screen, desk, futures([short], true));
    await screen.press(CTRL_R);
    await screen.shows('the position is gone');
    expect(kinds(screen)).toEqual(['position-form']);
  });

  it.each([
    ['c', '62000'],
    ['s', '58000'],
    ['p', null],
  ])('in one-way mode is not of the position turned round (%s)', async (key, value) => {
    const desk = new FakeDesk(deskState({ futures: futures([position('BTCUSDT')]) }));
    const screen = await open(desk);
    await screen.press('5', key);
    if (value !== null) await screen.press(value);
    await checked(screen);
    await becomes(screen, desk, futures([position('BTCUSDT', { amount: '-0.5' })]));
    await screen.press(CTRL_R);
    await screen.shows('the position is gone');
    expect(kinds(screen)).toEqual(['position-form']);
  });

  it('closing at market is given up when it turned round while the desk was asked', async () => {
    const desk = priced(deskState({ futures: futures([position('BTCUSDT')]) }));
    const check = desk.answers['orders.check'];
    const { promise, resolve } = Promise.withResolvers<void>();
    desk.answers['orders.check'] = (draft) => promise.then(() => check?.(draft) as never);
    const screen = await open(desk);
    await screen.press('5', 'x');
    await becomes(screen, desk, futures([position('BTCUSDT', { amount: '-0.5' })]));
    resolve();
    await screen.shows('the position is gone');
    expect(kinds(screen)).toEqual([]);
  });
});

describe('the form of a setting', () => {
  it('shows the position that it was opened for, and its symbol has one leverage for both sides', async () => {
    const long = position('BTCUSDT', { side: 'LONG' });
    const short = position('BTCUSDT', { side: 'SHORT', amount: '-0.2', liquidationPrice: '70000' });
    const screen = await open(new FakeDesk(deskState({ futures: futures([long, short], true) })));
    for (const [keys, words] of [
      [['5'], 'LONG 0.5 BTCUSDT'],
      [['j'], 'SHORT 0.2 BTCUSDT'],
    ] as const) {
      await screen.press(...keys, 'v', '25');
      await checked(screen);
      await screen.press(CTRL_R);
      await screen.shows('y change the leverage');
      expect(screen.screenText()).toContain(words);
      await screen.press(ESC, ESC);
    }
  });

  it('knows the brackets of its own account, though another one trades the same symbol', async () => {
    const acme = account('acme-main', { kind: 'futures', market: 'acme-futures' });
    const usual = deskState();
    const own = usual.instruments.filter(({ exchange }) => exchange === 'paper-futures');
    const at = (exchange: string) => position('BTCUSDT', { exchange, key: `${exchange} btc` });
    const state = deskState({
      accounts: [...usual.accounts, acme],
      instruments: [...usual.instruments, ...own.map((one) => ({ ...one, exchange: 'acme-main' }))],
      futures: {
        'paper-futures': { hedgeMode: false, leverage: {}, positions: [at('paper-futures')] },
        'acme-main': { hedgeMode: false, leverage: {}, positions: [at('acme-main')] },
      },
    });
    const desk = new FakeDesk(state);
    desk.answers['futures.brackets'] = ({ exchange }) =>
      exchange === 'acme-main' ? [tier(20, '0', '50000', '0.01', '0')] : BRACKETS;
    const screen = await open(desk);
    await screen.press('5', 'v');
    await screen.shows('1x to 125x');
    await screen.press(ESC, 'j', 'v');
    await screen.shows('1x to 20x');
    // Each is asked for once.
    await screen.press(ESC, 'k', 'v');
    await screen.shows('1x to 125x');
    expect(desk.calls.filter(({ method }) => method === 'futures.brackets')).toHaveLength(2);
  });
});

describe('an answer for another form', () => {
  it('of the margin mode does not write into a stop', async () => {
    const desk = priced();
    const { promise, resolve } = Promise.withResolvers<{ mode: 2 }>();
    desk.answers['futures.marginMode'] = () => promise;
    const screen = await open(desk);
    await screen.press('5', 'M');
    await screen.until(() => desk.calls.some(({ method }) => method === 'futures.marginMode'));
    await screen.press(ESC, 's', '58000');
    await checked(screen);
    resolve({ mode: 2 });
    await screen.settle();
    expect(formOf(screen)).toMatchObject({ what: 'stop', value: '58000', mode: null });
  });

  it('of the margin mode leaves what was chosen meanwhile', async () => {
    const desk = priced();
    const { promise, resolve } = Promise.withResolvers<{ mode: 1 }>();
    desk.answers['futures.marginMode'] = () => promise;
    const screen = await open(desk);
    await screen.press('5', 'M');
    await screen.until(() => desk.calls.some(({ method }) => method === 'futures.marginMode'));
    await screen.press(' ', ' ');
    expect(formOf(screen).value).toBe('portfolio');
    resolve({ mode: 1 });
    await screen.shows('now single-asset');
    expect(formOf(screen).value).toBe('portfolio');
  });

  it('of the margin mode that does not come opens no question', async () => {
    const desk = priced();
    desk.answers['futures.marginMode'] = () => Promise.reject(new Error('no line to it'));
    const screen = await open(desk);
    await screen.press('5', 'M', CTRL_R);
    await screen.shows('futures.marginMode: no line to it');
    expect(kinds(screen)).toEqual(['position-form']);
  });

  it('of a limit does not judge a stop at the same price', async () => {
    const desk = priced();
    const check = desk.answers['orders.check'];
    const waits: (() => void)[] = [];
    desk.answers['orders.check'] = (draft) =>
      new Promise((resolve) => waits.push(() => resolve(check?.(draft) as never)));
    const screen = await open(desk);
    await screen.press('5', 'c', '62000');
    await screen.until(() => waits.length === 1);
    await screen.press(ESC, 's', '62000');
    waits[0]?.();
    await screen.settle();
    expect(formOf(screen)).toMatchObject({ what: 'stop', check: null, stale: true });
    await screen.until(() => waits.length === 2);
    waits[1]?.();
    await screen.shows('once the mark price reaches 62,000');
  });
});

describe('the question about a position', () => {
  it('says size and notional of now, whatever the form was checked with', async () => {
    const desk = priced(deskState({ futures: futures([position('BTCUSDT')]) }));
    const screen = await open(desk);
    await screen.press('5', 'c', '62000');
    await checked(screen);
    await becomes(screen, desk, futures([position('BTCUSDT', { amount: '2' })]));
    await screen.press(CTRL_R);
    await screen.shows('close this position');
    expect(screen.screenText()).toContain('SELL 2 BTCUSDT LIMIT');
    expect(screen.screenText()).toContain('124,000.00 USDT');
  });

  it('is not opened when the price was changed while the desk was asked', async () => {
    const desk = priced();
    const check = desk.answers['orders.check'];
    const screen = await open(desk);
    await screen.press('5', 'c', '62000');
    await checked(screen);
    const { promise, resolve } = Promise.withResolvers<void>();
    desk.answers['orders.check'] = (draft) => promise.then(() => check?.(draft) as never);
    await screen.press(CTRL_R, '5');
    resolve();
    await checked(screen);
    expect(kinds(screen)).toEqual(['position-form']);
    expect(formOf(screen).value).toBe('620005');
  });

  it.each([
    ['at market', ['x'], '25,000.00 USDT'],
    ['by limit', ['c', '62000', CTRL_R], '18.12'],
    ['stop', ['s', '58000', CTRL_R], '25,000.00 USDT'],
  ])('goes with the market while it is open: %s', async (_, keys, figure) => {
    const desk = priced(deskState({ futures: futures([position('BTCUSDT')]) }));
    const screen = await open(desk);
    await screen.press('5', ...keys);
    await screen.until(() => top(screen)?.kind === 'confirm');
    expect(screen.screenText()).not.toContain(figure);
    const asked = top(screen);
    await becomes(screen, desk, futures([position('BTCUSDT', { unrealizedProfit: '18.12' })]));
    priceOf(desk, '50000.00');
    await screen.shows(figure);
    await screen.shows('+18.12');
    expect(top(screen)).toMatchObject({ action: asked?.kind === 'confirm' ? asked.action : null });
    expect(desk.acting).toEqual([]);
  });

  it('is not written over by an answer for the one that was open before', async () => {
    const desk = priced();
    const check = desk.answers['orders.check'];
    const screen = await open(desk);
    await screen.press('5', 'x');
    await screen.until(() => top(screen)?.kind === 'confirm');
    const waits: (() => void)[] = [];
    desk.answers['orders.check'] = (draft) =>
      new Promise((resolve) => waits.push(() => resolve(check?.(draft) as never)));
    priceOf(desk, '50000.00');
    await screen.until(() => waits.length > 0);
    if (check) desk.answers['orders.check'] = check;
    await screen.press(ESC, 'j', 'x');
    await screen.until(() => top(screen)?.kind === 'confirm');
    const asked = top(screen);
    for (const answer of waits) answer();
    await screen.settle();
    expect(top(screen)).toEqual(asked);
    expect(JSON.stringify(asked)).toContain('ETHUSDT');
  });

  it('says so when the position goes while it is open', async () => {
    const desk = priced(deskState({ futures: futures([position('BTCUSDT')]) }));
    const screen = await open(desk);
    await screen.press('5', 'x');
    await screen.shows('close this position');
    await becomes(screen, desk, futures([]));
    await screen.shows('is gone');
    expect(kinds(screen)).toEqual(['confirm']);
  });
});

describe('the question about a split', () => {
  const id = 'oc-7f3k2m9q1a2b';

  it('says what remains now', async () => {
    const desk = new FakeDesk();
    desk.answers['orders.splitPreview'] = ({ prices }) => ({
      problems: [],
      remaining: String(0.5 - Number(desk.state.orders[id]?.executedQty)),
      parts: prices.map((price) => ({ price, quantity: '0.1', notional: '6120.00' })),
    });
    const screen = await open(desk);
    await screen.press('2', 'j', 's', '61000..62000 5');
    await screen.shows('remaining 0.5');
    const order = desk.state.orders[id];
    if (!order) throw new Error('no such order');
    desk.push({ orders: { [id]: { ...order, executedQty: '0.4' } } });
    await screen.until(() => screen.session.desk.getState().state?.orders[id]?.executedQty === '0.4');
    await screen.press(CTRL_R);
    await screen.shows('split this order');
    expect(screen.screenText()).toMatch(/remaining +0\.09/);
    expect(screen.screenText()).toContain('0.4 of 0.5');
  });

  it('is not opened when the desk, asked once more, has something against it', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'j', 's', '61000..62000 5');
    await screen.shows('remaining 0.5');
    desk.answers['orders.splitPreview'] = () => ({
      problems: ['the order is filled'],
      remaining: '0',
      parts: [],
    });
    await screen.press(CTRL_R);
    await screen.shows('the order is filled');
    expect(kinds(screen)).toEqual(['split']);
  });

  it('is not opened when the prices were changed while the desk was asked', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'j', 's', '61000..62000 5');
    await screen.shows('remaining 0.5');
    const { promise, resolve } = Promise.withResolvers<void>();
    desk.answers['orders.splitPreview'] = ({ prices }) =>
      promise.then(() => ({
        problems: [],
        remaining: '0.5',
        parts: prices.map((price) => ({ price })),
      })) as never;
    await screen.press(CTRL_R, '0');
    resolve();
    await screen.settle();
    expect(kinds(screen)).toEqual(['split']);
  });

  it('an answer for another order is not taken over', async () => {
    const desk = new FakeDesk();
    const other = desk.state.orders[id];
    if (!other) throw new Error('no such order');
    desk.push({ orders: { other: { ...other, id: 'other', orderTime: other.orderTime - 1 } } });
    const waits: ((remaining: string) => void)[] = [];
    desk.answers['orders.splitPreview'] = () =>
      new Promise((resolve) => waits.push((remaining) => resolve({ problems: [], remaining, parts: [] })));
    const screen = await open(desk);
    await screen.press('2', 'j', 's', '61000 62000');
    await screen.until(() => waits.length === 1);
    await screen.press(ESC, 'j', 's', '61000 62000');
    waits[0]?.('0.77');
    await screen.settle();
    expect(screen.screenText()).not.toContain('0.77');
  });
});
