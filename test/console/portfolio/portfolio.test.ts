/** The Portfolio screen: what it counts, shows, sorts and leaves out; what it asks of the desk, and when. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeColumns, rowLine } from '../../../src/console/lists/table.ts';
import { waitText } from '../../../src/console/portfolio/dust.ts';
import { portfolioColumns, quantity, totalsLine } from '../../../src/console/portfolio/portfolio-columns.ts';
import {
  balanceRows,
  FIRST_PORTFOLIO,
  isSmall,
  PORTFOLIO_SORTS,
  type PortfolioView,
  portfolioTotals,
  shownBalances,
} from '../../../src/console/portfolio/portfolio-list.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { refuse } from '../../../src/domain/errors.ts';
import type { Balance } from '../../../src/schemas/portfolio.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { account, DUST, deskState, somePortfolios } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';

const open = rigPerTest();

const world = (change: Partial<DeskState> = {}) => deskState({ portfolios: somePortfolios(), ...change });
const held = (change: Partial<DeskState> = {}) => new FakeDesk(world(change));
const sent = (desk: FakeDesk, method: string) =>
  desk.calls.filter((call) => call.method === method).map(({ params }) => params);
const assets = (view: Partial<PortfolioView>) =>
  shownBalances(world(), { ...FIRST_PORTFOLIO, ...view }).map(
    ({ asset, exchange }) => `${asset} ${exchange.slice(6, 7)}`,
  );

/** An amount in the desk's form. */
const someAmount = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 999_999 }))
  .map(([units, parts]) =>
    parts === 0 ? `${units}` : `${units}.${String(parts).padStart(6, '0').replace(/0+$/, '')}`,
  );
const someBalance = fc
  .record({
    asset: fc.stringMatching(/^[A-Z]{2,6}$/),
    total: someAmount,
    usd: fc.option(someAmount, { nil: undefined }),
    lockedByBot: fc.option(someAmount, { nil: null }),
  })
  .map(
    ({ asset, total, usd, lockedByBot }): Balance => ({
      asset,
      name: asset,
      free: total,
      wallet: total,
      total,
      locked: '0',
      lockedByBot,
      ...(usd === undefined ? {} : { usd }),
    }),
  );
const somePortfolio = fc
  .uniqueArray(someBalance, { selector: ({ asset }) => asset, maxLength: 30 })
  .map((balances) => ({ total: { usd: '0' }, balances }));
const someWorld = fc
  .record({ 'paper-spot': somePortfolio, 'paper-futures': somePortfolio })
  .map((portfolios) => deskState({ portfolios }));

describe('rows', () => {
  it('every balance has its value in dollars and in BTC, and its share', () => {
    const rows = balanceRows(world());
    const of = (id: string) => rows.find((row) => row.id === id);
    expect(of('paper-spot BTC')).toMatchObject({ value: dec('45925.58'), btc: '0.75000008', stale: false });
    expect(of('paper-spot XYZ')).toMatchObject({ value: null, btc: null, share: null });
    expect(of('paper-futures USDT')?.share).toBeCloseTo(100_000 / 183_178.33, 3);
  });

  it('are sorted by worth first, by every other column on demand, and reversed', () => {
    expect(assets({})).toEqual(['USDT f', 'BTC s', 'USDT s', 'ADA s', 'DOGE s', 'XYZ s']);
    expect(assets({ sort: 'asset' })).toEqual(['ADA s', 'BTC s', 'DOGE s', 'USDT f', 'USDT s', 'XYZ s']);
    expect(assets({ sort: 'total' })[0]).toBe('XYZ s');
    expect(assets({ sort: 'locked' }).slice(0, 2)).toEqual(['USDT s', 'USDT f']);
    expect(assets({ sort: 'account' })[0]).toBe('USDT f');
    expect(assets({ sort: 'asset', reverse: true })[0]).toBe('XYZ s');
  });

  it('are filtered by asset, account and what bots keep', () => {
    expect(assets({ filter: 'usdt spot' })).toEqual(['USDT s']);
    expect(assets({ filter: 'bots' })).toEqual(['USDT s']);
    expect(assets({ filter: 'nothing' })).toEqual([]);
  });

  it('small ones can be left out; what has no price is not small', () => {
    expect(assets({ hideSmall: true })).toEqual(['USDT f', 'BTC s', 'USDT s', 'ADA s', 'XYZ s']);
  });

  it('stand by what is locked, by orders and by bots together', () => {
    const balance = (asset: string, locked: string, lockedByBot: string | null): Balance => ({
      asset,
      name: asset,
      free: '0',
      wallet: '9',
      total: '9',
      locked,
      lockedByBot,
    });
    const balances = [
      balance('A', '3', null),
      balance('B', '1', '4'),
      balance('C', '0', '4'),
      balance('D', '0', null),
    ];
    const state = world({ portfolios: { 'paper-spot': { balances } } as never });
    const shown = (reverse: boolean) =>
      shownBalances(state, { ...FIRST_PORTFOLIO, sort: 'locked', reverse })
        .map(({ asset }) => asset)
        .join('');
    expect([shown(false), shown(true)]).toEqual(['BCAD', 'DACB']);
  });

  it('are worth another share of a bitcoin when only its price has moved', () => {
    const state = world();
    const before = shownBalances(state, FIRST_PORTFOLIO);
    const prices = Object.fromEntries(
      Object.entries(state.prices).map(([key, price]) => [
        key,
        { ...price, last: String(Number(price.last) * 2) },
      ]),
    );
    const after = shownBalances({ ...state, prices }, FIRST_PORTFOLIO);
    const row = before.findIndex(({ btc }) => btc !== null && Number(btc) > 0);
    expect(Number(after[row]?.btc)).toBeCloseTo(Number(before[row]?.btc) / 2, 6);
    expect(shownBalances({ ...state, prices }, FIRST_PORTFOLIO)).toBe(after);
  });

  it('whatever the accounts hold: nothing is lost, shares add up to one at most, sorts only change the order', () => {
    fc.assert(
      fc.property(someWorld, fc.constantFrom(...PORTFOLIO_SORTS), fc.boolean(), (state, sort, reverse) => {
        const all = balanceRows(state);
        const shown = shownBalances(state, { ...FIRST_PORTFOLIO, sort, reverse });
        expect(shown.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
        const shares = all.reduce((sum, { share }) => sum + (share ?? 0), 0);
        expect(shares).toBeLessThanOrEqual(1.000001);
        const small = shownBalances(state, { ...FIRST_PORTFOLIO, sort, reverse, hideSmall: true });
        expect(small).toEqual(shown.filter((row) => !isSmall(row)));
        const totals = portfolioTotals(state);
        expect(totals.usd).toBe(all.reduce((sum, { value }) => sum + (value ?? 0n), 0n));
        expect(totals.small).toBe(shown.length - small.length);
      }),
      { numRuns: 200 },
    );
  });

  it('whatever the width, a row never is wider, and the asset and its worth always stand there', () => {
    fc.assert(
      fc.property(someWorld, fc.integer({ min: 40, max: 200 }), (state, width) => {
        const placed = placeColumns(portfolioColumns(), width - 4);
        const titles = placed.map(({ column }) => column.title);
        expect(titles).toEqual(expect.arrayContaining(['asset', 'USD']));
        for (const row of balanceRows(state))
          expect(lineWidth(rowLine(placed, row, false))).toBeLessThanOrEqual(width);
      }),
      { numRuns: 200 },
    );
  });

  it('what several accounts share is listed and counted once, under the first of them, and found by the name of each', () => {
    const before = world();
    const [[first, portfolio] = ['', { total: { usd: '0' } }]] = Object.entries(before.portfolios);
    const portfolios = {
      ...before.portfolios,
      [first]: { ...portfolio, sharedWith: ['unified-swap'] },
      'unified-swap': { ...portfolio, sharedWith: [first] },
    };
    const shared = world({ portfolios, accounts: [...before.accounts, account('unified-swap')] });
    const { count, usd } = portfolioTotals(before);
    expect(portfolioTotals(shared)).toMatchObject({ count, usd });
    const found = shownBalances(shared, { ...FIRST_PORTFOLIO, filter: 'unified' });
    expect(found.length).toBe(portfolio.balances?.length);
    expect(new Set(found.map(({ exchange }) => exchange))).toEqual(new Set([first]));
    const cell = portfolioColumns().find(({ title }) => title === 'account')?.cell;
    expect(found.map((row) => cell?.(row, 13).text)).toEqual(found.map(() => `${first} +1`));
  });

  it('a quantity that does not fit is cut, never rounded up', () => {
    fc.assert(
      fc.property(someAmount, fc.integer({ min: 8, max: 30 }), (text, width) => {
        const shown = quantity(text, width).replaceAll(',', '');
        expect(text.startsWith(shown)).toBe(true);
        expect(shown.split('.')[0]).toBe(text.split('.')[0]);
      }),
    );
  });

  it('a quantity without a fraction keeps all its digits where its column is too narrow', () => {
    expect(quantity('100000000000', 8)).toBe('100,000,000,000');
  });

  it('the totals say what is missing and what positions add', () => {
    const totals = portfolioTotals(world({ futures: somePositions() }));
    const text = totalsLine(totals, 200, true)
      .map((part) => part.text)
      .join('');
    expect(text).toBe(
      '  total  183,178.33 USD  partial: 1 without a price  2.99144317 BTC  unrealised PnL of positions +756.48',
    );
  });

  it.each([
    [1, '1 min'],
    [59 * 60_000, '59 min'],
    [3_600_000, '1 h'],
    [6 * 3_600_000 - 90_000, '5 h 59 min'],
  ])('a wait of %d ms is %s', (ms, text) => {
    expect(waitText(ms)).toBe(text);
  });
});

describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('the screen at $columns x $rows', (size) => {
  it('shows balances, sums, shares and what is partial', async () => {
    const screen = await open(held({ futures: somePositions() }), size);
    await screen.press('4');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('says so when the accounts hold nothing', async () => {
    const empty = { total: { usd: '0.00' }, balances: [] };
    const screen = await open(
      new FakeDesk(world({ portfolios: { 'paper-spot': empty, 'paper-futures': empty } })),
      size,
    );
    await screen.press('4');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('says so while the accounts are asked', async () => {
    const screen = await open(new FakeDesk(world({ portfolios: {} })), size);
    await screen.press('4');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('says how old the figures of an exchange are that is down', async () => {
    const accounts = [
      account('paper-spot', { link: 'down', since: NOON - 12_000 }),
      account('paper-futures'),
    ];
    const screen = await open(held({ accounts }), size);
    await screen.press('4');
    expect(screen.screenText()).toContain('paper-spot is not connected: its figures are 12 s old');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('shows what a conversion would give before it is asked for', async () => {
    const screen = await open(held(), size);
    await screen.press('4', 'd');
    await screen.shows('0.00877 BNB');
    expect(screen.screenText()).toMatchSnapshot();
    await screen.press(CTRL_R);
    await screen.shows('convert 2 assets');
    expect(screen.screenText()).toMatchSnapshot();
  });
});

describe('keys', () => {
  it('filter, sort and small balances change the list, and esc takes the filter off', async () => {
    const screen = await open(held());
    await screen.press('4', '/', 'btc', ENTER);
    expect(screen.screenText()).toContain('Portfolio matching "btc"');
    expect(screen.screenText()).toContain('1 of 6 balances');
    await screen.press(ESC, 's');
    expect(screen.screenText()).toContain('1 small hidden · 5 of 6 balances');
    await screen.press('s', 'o');
    expect(screen.screenText()).toContain('asset ▼');
    await screen.press('O');
    expect(screen.screenText()).toContain('asset ▲');
    await screen.press('/', 'zzz', ENTER);
    expect(screen.screenText()).toContain('nothing matches "zzz"');
  });

  it('enter goes to the orders with the asset', async () => {
    const screen = await open(held());
    await screen.press('4', 'j', ENTER);
    expect(screen.screenText()).toContain('Orders matching "BTC"');
  });

  it('a conversion is asked for once, after y, with what was left ticked', async () => {
    const desk = held();
    desk.answers['futures.set'] = () => ({
      ok: true,
      data: {
        converted: [{ asset: 'DOGE', amount: '0.4', received: '0.0001037', fee: '0' }],
        toAsset: 'BNB',
        received: '0.0001037',
      },
    });
    const screen = await open(desk);
    await screen.press('4', 'd');
    await screen.shows('ADA');
    await screen.press(' ', ENTER, ENTER, ENTER);
    expect(sent(desk, 'futures.set')).toEqual([]);
    await screen.press('y');
    await screen.shows('1 asset became 0.0001037 BNB');
    expect(sent(desk, 'futures.set')).toEqual([
      { exchange: 'paper-spot', setting: { kind: 'dust', assets: ['DOGE'] } },
    ]);
  });

  it('counts down to the next conversion and lets none be asked for before', async () => {
    const desk = held();
    desk.answers['portfolio.dust'] = () => ({
      ok: true,
      data: { assets: DUST, waitMs: 3_600_000 * 4 + 60_000 },
    });
    const screen = await open(desk);
    await screen.press('4', 'd');
    await screen.shows('possible again in 4 h 1 min');
    await screen.press(CTRL_R, 'y');
    expect(screen.screenText()).toContain('converted less than 6 h ago');
    expect(desk.acting).toEqual([]);
  });

  it('says why when the exchange names nothing, and nothing can be asked for', async () => {
    const desk = held();
    desk.answers['portfolio.dust'] = () =>
      refuse('SERVICE_UNAVAILABLE', 'paper-spot gave no answer; try again');
    const screen = await open(desk);
    await screen.press('4', 'd');
    await screen.shows('the exchange did not say: paper-spot gave no answer');
    await screen.press(CTRL_R);
    expect(desk.acting).toEqual([]);
  });

  it('keeps the form with the exchange’s reason when it refuses', async () => {
    const desk = held();
    desk.answers['futures.set'] = () => refuse('INVALID_REQUEST', 'possible again in 5 h', 'VENUE');
    const screen = await open(desk);
    await screen.press('4', 'd');
    await screen.shows('ADA');
    await screen.press(CTRL_R, 'y');
    await screen.shows('refused: possible again in 5 h');
    expect(screen.screenText()).toContain('Convert small balances');
  });

  it('writes a file and says where it is', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('4', 'e');
    await screen.shows('5 rows: /home/owner/.outcry/exports/p.csv');
    desk.answers['portfolio.export'] = () =>
      refuse('SERVICE_UNAVAILABLE', 'the file could not be written: ENOSPC');
    await screen.press('e');
    await screen.shows('refused: the file could not be written: ENOSPC');
  });
});
