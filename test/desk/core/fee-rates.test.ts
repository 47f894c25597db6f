/**
 * The fee rates of an account: asked of its exchange, used in previews, stored, and asked again when an
 * execution disagrees.
 */
import { expect, it } from 'vitest';
import {
  ASKED_AFTER_FAILURE_MS,
  ASKED_AGAIN_MS,
  ASKED_EVERY_MS,
} from '../../../src/desk/core/daily-question.ts';
import type { ExchangeFill, FeeRates } from '../../../src/domain/exchange.ts';
import { orderPreview } from '../../../src/engine/order-preview.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import type { CAPS } from '../../engine/support/market.ts';
import { LinkRig } from './link-rig.ts';

const TOLD: FeeRates = { maker: '0.0008', taker: '0.001' };
const SET: FeeRates = { maker: '0', taker: '0' };

/** A desk whose exchange tells the account's fee rates; `asked` counts the requests. */
async function started(
  answer: () => FeeRates | null,
  {
    store = openSqliteStore(':memory:'),
    caps = {},
  }: { store?: LinkRig['store']; caps?: Partial<typeof CAPS> } = {},
) {
  const rig = new LinkRig('spot', 1, store, caps);
  let asked = 0;
  rig.venue.feeRates = async () => {
    asked += 1;
    return answer();
  };
  await rig.until(rig.core.start());
  await rig.clock.settle();
  return { rig, asked: () => asked };
}

const account = ({ core }: LinkRig) => core.engine.memory.account('said-spot');

/** The fee that a ticket shows for an order of 60,000 USDT. */
function feeOf(rig: LinkRig): string | null {
  const request = {
    exchange: 'said-spot',
    symbol: 'BTCUSDT',
    side: 'SELL',
    type: 'MARKET',
    quantity: '1',
  } as const;
  return orderPreview(rig.core.engine.memory, request, rig.clock.wall(), SET).fee;
}

let trades = 0;
function fill(more: Partial<ExchangeFill>): ExchangeFill {
  return {
    tradeId: `t${++trades}`,
    clientId: 'website',
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '60000',
    qty: '0.1',
    comm: '0.0001',
    commAsset: 'BTC',
    maker: false,
    rPnl: null,
    posSide: 'BOTH',
    time: 0,
    ...more,
  };
}

it('is asked when the account is connected, and a ticket reckons with it', async () => {
  const { rig, asked } = await started(() => TOLD);
  expect(asked()).toBe(1);
  expect(account(rig).fees).toEqual(TOLD);
  expect(feeOf(rig)).toBe('60');
});

it('is asked once a day, soon after a question that failed and then once a minute, and no more once the desk has ended', async () => {
  let answer: FeeRates | null = null;
  const { rig, asked } = await started(() => answer);
  expect(account(rig).fees).toBeNull();
  expect(feeOf(rig)).toBe('0');
  let failed = 1;
  for (const wait of [...ASKED_AFTER_FAILURE_MS, ASKED_AFTER_FAILURE_MS.at(-1) ?? 0]) {
    await rig.clock.advance(wait - 1);
    expect(asked()).toBe(failed);
    await rig.clock.advance(1);
    failed += 1;
    expect(asked()).toBe(failed);
  }
  answer = TOLD;
  await rig.clock.advance(ASKED_AGAIN_MS);
  expect([asked(), feeOf(rig)]).toEqual([6, '60']);
  answer = { maker: '-0.0001', taker: '0.0005' };
  await rig.clock.advance(ASKED_EVERY_MS - 1);
  expect(asked()).toBe(6);
  await rig.clock.advance(1);
  expect([asked(), account(rig).fees, feeOf(rig)]).toEqual([7, answer, '30']);
  await rig.link.close();
  await rig.clock.advance(2 * ASKED_EVERY_MS);
  expect(asked()).toBe(7);
});

it('a question that fails after a day that was answered is asked again as soon as the very first', async () => {
  let answer: FeeRates | null = null;
  const { rig, asked } = await started(() => answer);
  await rig.clock.advance(ASKED_AFTER_FAILURE_MS[0]);
  answer = TOLD;
  await rig.clock.advance(ASKED_AFTER_FAILURE_MS[1]);
  expect([asked(), account(rig).fees]).toEqual([3, TOLD]);
  answer = null;
  await rig.clock.advance(ASKED_EVERY_MS);
  expect(asked()).toBe(4);
  await rig.clock.advance(ASKED_AFTER_FAILURE_MS[0] - 1);
  expect(asked()).toBe(4);
  await rig.clock.advance(1);
  expect(asked()).toBe(5);
});

it.each([
  ['maker is no figure', { maker: 'low', taker: '0.001' }],
  ['taker is beyond a tenth', { maker: '0', taker: '0.11' }],
  ['maker pays more than a tenth', { maker: '-0.11', taker: '0' }],
  ['taker is missing', { maker: '0.001' }],
])('%s: that is left out and said', async (_, answer) => {
  const { rig } = await started(() => answer as FeeRates);
  expect(account(rig).fees).toBeNull();
  expect(rig.link.venue.unreadable).toBe(1);
});

it('is the highest tier of the exchange until it is known', async () => {
  const { rig } = await started(() => null, { caps: { highestFees: { maker: '0.002', taker: '0.003' } } });
  expect(feeOf(rig)).toBe('180');
});

it('is known at the next start, before the exchange has said it again', async () => {
  const store = openSqliteStore(':memory:');
  const first = await started(() => TOLD, { store });
  await first.rig.until(first.rig.core.stop());
  const second = await started(() => null, {
    store,
    caps: { highestFees: { maker: '0.002', taker: '0.003' } },
  });
  expect(account(second.rig).fees).toEqual(TOLD);
});

it('one rate that changes is a change, whichever it is', async () => {
  let answer = TOLD;
  const { rig } = await started(() => answer);
  for (const change of [{ maker: '0.0009' }, { taker: '0.002' }]) {
    answer = { ...answer, ...change };
    await rig.clock.advance(ASKED_EVERY_MS);
    expect(account(rig).fees).toEqual(answer);
  }
});

it.each<[string, Partial<ExchangeFill>, number]>([
  ['at the rate', {}, 1],
  ['a tenth above it', { comm: '0.00011' }, 1],
  ['more than that above it', { comm: '0.00011001' }, 2],
  ['more than that below it', { comm: '0.00008999' }, 2],
  ['as a maker, at the rate of a taker', { maker: true }, 2],
  ['as a maker', { maker: true, comm: '0.00008' }, 1],
  ['paid in the quote', { commAsset: 'USDT', comm: '6' }, 1],
  ['paid in the quote, at another rate', { commAsset: 'USDT', comm: '7' }, 2],
  ['paid in a third asset, which says nothing', { commAsset: 'BNB', comm: '1' }, 1],
  ['of a symbol that is not known', { symbol: 'OTHERUSDT', comm: '1' }, 1],
])('after an execution %s it was asked so often', async (_, more, questions) => {
  const { rig, asked } = await started(() => TOLD);
  await rig.clock.advance(ASKED_AGAIN_MS);
  rig.venue.sink?.fill(fill(more));
  await rig.clock.settle();
  expect(asked()).toBe(questions);
});

it.each<[string, Partial<ExchangeFill>, number]>([
  ['at the rate', { comm: '-0.00002' }, 1],
  ['a tenth below it', { comm: '-0.000018' }, 1],
  ['more than a tenth below it', { comm: '-0.00001799' }, 2],
  ['that has become a fee', { comm: '0.00002' }, 2],
])('after the rebate of a maker %s it was asked so often', async (_, more, questions) => {
  const { rig, asked } = await started(() => ({ maker: '-0.0002', taker: '0.001' }));
  await rig.clock.advance(ASKED_AGAIN_MS);
  rig.venue.sink?.fill(fill({ maker: true, ...more }));
  await rig.clock.settle();
  expect(asked()).toBe(questions);
});

it('what was told in a commit that failed is what is reckoned with', async () => {
  let answer = TOLD;
  const { rig } = await started(() => answer);
  await rig.clock.advance(ASKED_AGAIN_MS);
  const commit = rig.store.commit.bind(rig.store);
  let failed = false;
  rig.store.commit = () => {
    rig.store.commit = commit;
    failed = true;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  answer = { maker: '0.002', taker: '0.003' };
  rig.venue.sink?.fill(fill({ comm: '0.0003' }));
  await rig.clock.settle();
  rig.core.turn.commitSoon();
  await rig.clock.settle();
  expect([failed, account(rig).fees, feeOf(rig)]).toEqual([true, answer, '180']);
});

it('is asked once a minute at most, however many executions disagree, and again after that minute', async () => {
  const { rig, asked } = await started(() => TOLD);
  await rig.clock.advance(ASKED_AGAIN_MS);
  for (let i = 0; i < 5; i++) {
    rig.venue.sink?.fill(fill({ comm: '0.001' }));
    await rig.clock.settle();
  }
  expect(asked()).toBe(2);
  await rig.clock.advance(ASKED_AGAIN_MS);
  expect(asked()).toBe(3);
});
