/**
 * Orders of a paper account that wait for the first price of a live market: when they are sent, and what is
 * reported if they never are.
 */
import { expect, it } from 'vitest';
import type { SubmitOutcome } from '../../src/domain/exchange.ts';
import { type Mirror, type PastFunding, PriceGate } from '../../src/venues/paper/mirror.ts';
import { PAPER_FUTURES } from '../../src/venues/paper/paper-venue.ts';
import type { Dispatch } from '../../src/venues/venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { CONTRACTS } from './futures-support.ts';
import { openVenue } from './paper-support.ts';

function waiting() {
  const clock = new VirtualClock();
  const gate = new PriceGate(clock);
  const seen: string[] = [];
  const takeBacks: (() => void)[] = [];
  const wait = (
    name: string,
    symbol = 'BTCUSDT',
    waitMs?: number,
    send = async () => ({ kind: 'withdrawn' }),
  ) => {
    const dispatch: Dispatch | undefined =
      waitMs === undefined
        ? undefined
        : {
            lane: 'entry',
            notAfter: 0,
            waitUntil: clock.monotonic() + waitMs,
            onWaits: (takeBack) => takeBacks.push(takeBack),
            leaves: () => {
              seen.push(`${name} leaves`);
              return { notAfter: 0 };
            },
          };
    const sent = async () => {
      seen.push(`${name} is sent`);
      return (await send()) as SubmitOutcome;
    };
    void gate.wait(symbol, dispatch, sent).then((outcome) => {
      seen.push(
        `${name} ${'code' in outcome ? outcome.code : 'cause' in outcome ? outcome.cause : outcome.kind}`,
      );
    });
  };
  const told = async () => {
    await clock.settle();
    return seen.splice(0);
  };
  return { clock, gate, wait, takeBacks, told };
}

it('leave in their order with the first price of their symbol, each as it is told, once', async () => {
  const { gate, wait, told } = waiting();
  wait('a', 'BTCUSDT', 5_000);
  wait('b', 'ETHUSDT', 5_000);
  wait('c', 'BTCUSDT', 5_000);
  gate.came('BTCUSDT');
  gate.came('BTCUSDT');
  expect((await told()).slice(0, 4)).toEqual(['a leaves', 'a is sent', 'c leaves', 'c is sent']);
  gate.came('ETHUSDT');
  expect((await told()).slice(0, 2)).toEqual(['b leaves', 'b is sent']);
});

it('are refused as never sent when none comes in the time they have, ten seconds unless they say', async () => {
  const { clock, gate, wait, told } = waiting();
  wait('short', 'BTCUSDT', 2_000);
  wait('usual');
  wait('patient', 'BTCUSDT', Number.POSITIVE_INFINITY);
  await clock.advance(2_000);
  expect(await told()).toEqual(['short NO_PRICES']);
  await clock.advance(7_999);
  expect(await told()).toEqual([]);
  await clock.advance(1);
  expect(await told()).toEqual(['usual NO_PRICES']);
  await clock.advance(3_600_000);
  expect(await told()).toEqual([]);
  gate.came('BTCUSDT');
  expect((await told()).slice(0, 2)).toEqual(['patient leaves', 'patient is sent']);
});

it('are taken back by whoever has asked, and never once they have left', async () => {
  const { clock, gate, wait, takeBacks, told } = waiting();
  wait('a', 'BTCUSDT', 5_000);
  wait('b', 'BTCUSDT', 5_000, () => Promise.reject(new Error('no way')));
  takeBacks[0]?.();
  expect(await told()).toEqual(['a withdrawn']);
  gate.came('BTCUSDT');
  takeBacks[1]?.();
  await clock.advance(60_000);
  expect(await told()).toEqual(['b leaves', 'b is sent', 'b Error: no way']);
});

it('are told nothing once the account is closed', async () => {
  const { clock, gate, wait, told } = waiting();
  wait('a', 'BTCUSDT', 5_000);
  gate.close();
  gate.came('BTCUSDT');
  await clock.advance(60_000);
  expect(await told()).toEqual([]);
});

it('a funding payment that the stream has settled is not paid again when the history tells it some milliseconds later', async () => {
  const at = Date.UTC(2026, 0, 5, 8);
  const past: PastFunding[] = [];
  const mirror: Mirror = {
    market: 'live',
    instruments: async () => CONTRACTS,
    opened() {},
    before: [],
    isFresh: () => true,
    isBroken: () => false,
    want() {},
    funding: async (_symbol, from, to) => past.filter((one) => one.at >= from && one.at < to),
  };
  const { clock, venue } = await openVenue({ account: PAPER_FUTURES, instruments: CONTRACTS, mirror });
  venue.push({ time: at - 2_000, symbol: 'BTCUSDT', price: '50000', volume: '1' });
  venue.pushMark('BTCUSDT', '50000', at - 2_000, { rate: '0.0001', at });
  const order = {
    clientId: 'o',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    timeInForce: 'GTC',
  } as const;
  const accepted = venue.submit({ ...order, quantity: '1' });
  await clock.settle();
  expect(await accepted).toMatchObject({ kind: 'accepted' });
  const paid = async () => {
    const page = venue.ledger?.({ after: null, since: 0, limit: 100 });
    await clock.settle();
    return (await page)?.rows.filter(({ kind }) => kind === 'funding').map(({ amount }) => amount);
  };
  venue.pushMark('BTCUSDT', '50000', at + 20, { rate: '0.0002', at: at + 8 * 3_600_000 });
  await clock.settle();
  expect(await paid()).toEqual(['-5']);
  past.push({ at: at + 7, rate: '0.0001', mark: '50000' });
  await clock.advance(3_600_000);
  expect(await paid()).toEqual(['-5']);
  // What nobody has told so far is paid from the history.
  past.push({ at: at + 8 * 3_600_000 + 5, rate: '0.0002', mark: '50000' });
  venue.push({ time: at + 9 * 3_600_000, symbol: 'BTCUSDT', price: '50000', volume: '1' });
  await clock.advance(3_600_000);
  expect(await paid()).toEqual(['-5', '-10']);
});
