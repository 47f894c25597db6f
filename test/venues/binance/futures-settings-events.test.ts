/** Events about changed settings of a futures account: which of them this process has not requested. */
import { expect, it } from 'vitest';
import { futuresRig } from './futures-rig.ts';

async function changedHere() {
  const rig = futuresRig();
  await rig.open();
  await rig.during(rig.venue.futures.setLeverage({ symbol: 'BTCUSDT', leverage: 75 }));
  await rig.clock.advance(1_000);
  rig.told.stream.length = 0;
  return rig;
}

it('a change from elsewhere right after one of ours leads to a comparison, and our own event does not', async () => {
  const rig = await changedHere();
  expect(rig.told.stream).toEqual([]);
  rig.signed('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: '20' });
  await rig.clock.advance(1_000);
  expect(rig.told.stream).toEqual(['gap']);
});

it('an event of our own change that comes late leads to none', async () => {
  const rig = futuresRig({}, { delayMs: [300, 300] });
  await rig.open();
  rig.told.stream.length = 0;
  await rig.during(rig.venue.futures.setLeverage({ symbol: 'BTCUSDT', leverage: 75 }));
  await rig.clock.advance(2_000);
  expect(rig.told.stream).toEqual([]);
});

it('a change from elsewhere long after one of ours leads to a comparison, also to what was ours', async () => {
  const rig = await changedHere();
  await rig.clock.advance(11_000);
  for (const [leverage, stream] of [
    ['20', ['gap']],
    ['75', ['gap', 'gap']],
  ] as const) {
    rig.signed('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage });
    await rig.clock.advance(1_000);
    expect(rig.told.stream).toEqual(stream);
  }
});
