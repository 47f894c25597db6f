/**
 * Orders of a paper account that wait for the first price of a live market: when they are sent, and what is
 * reported if they never are.
 */
import { expect, it } from 'vitest';
import type { SubmitOutcome } from '../../src/domain/exchange.ts';
import { PriceGate } from '../../src/venues/paper/mirror.ts';
import type { Dispatch } from '../../src/venues/venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

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
