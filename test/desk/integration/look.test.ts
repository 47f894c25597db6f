/** One symbol that a terminal looks at closely, on a whole desk at the prices of an emulated exchange. */
import { describe, expect, it } from 'vitest';
import { applyDelta } from '../../../src/console/state/apply-delta.ts';
import { type DeskState, type FromDesk, PROTOCOL_VERSION } from '../../../src/desk/console/protocol.ts';
import { createSessionHub } from '../../../src/desk/console/session-hub.ts';
import { directLines } from '../../../src/desk/hosting/transports/direct.ts';
import { TAPE_LENGTH } from '../../../src/domain/depth.ts';
import { feedDesk, world } from './live-feed-rig.ts';
import { ok, openTestDesk } from './support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BTC = { market: 'binance-spot', symbol: 'BTCUSDT', frameMs: MINUTE };

/** A terminal at a whole desk. It acknowledges messages unless it is stalled. */
async function lookRig() {
  const exchange = world();
  const desk = await feedDesk(exchange);
  const hub = createSessionHub({
    desk: { ...desk.faces, onChange: (listener) => desk.core.onChange(listener) },
    clock: exchange.clock,
    report: (doing, error) => expect(`${doing}: ${error}`).toBe(''),
  });
  const attach = () => {
    const ends = directLines();
    const got: FromDesk[] = [];
    let state: DeskState | null = null;
    const end = { isSlow: false };
    let seq = 0;
    const ack = () => ends.terminal.send({ t: 'ack', seq });
    ends.terminal.onMessage((message) => {
      got.push(message);
      if (message.t === 'snapshot') state = message.state;
      else if (message.t === 'delta' && state) state = applyDelta(state, message.delta);
      else return;
      seq = message.seq;
      if (!end.isSlow) ack();
    });
    hub.accept(ends.desk);
    ends.terminal.send({ t: 'hello', protocol: PROTOCOL_VERSION });
    let id = 0;
    const call = async (method: string, params: unknown) => {
      id += 1;
      ends.terminal.send({ t: 'call', id, method, params } as never);
      for (let tries = 0; tries < 3; tries++) await desk.pass(200);
      return got.findLast((message) => 'id' in message && message.id === id) as { value?: { ok?: boolean } };
    };
    return { got, end, ack, call, look: () => state?.look, close: () => ends.terminal.close() };
  };
  await desk.pass(3_000);
  const books = () => [...exchange.emulator.spotStreams.sockets].flatMap(({ names }) => [...names]);
  return { ...desk, attach, depths: () => books().filter((name) => name.includes('@depth')) };
}

describe('a symbol that a terminal looks at', () => {
  it('is told with its depth, its trades, its day and the candle that runs, while it is looked at', async () => {
    const x = await lookRig();
    const one = x.attach();
    await x.pass(500);
    expect(one.look()).toBeUndefined();
    expect(x.depths()).toEqual([]);
    expect((await one.call('market.look', BTC)).value).toEqual({ ok: true, data: null });
    await x.pass(6_000);
    for (const price of ['60010.00', '60020.00', '59990.00', '60000.50']) {
      x.print('BTCUSDT', price, '0.5');
      await x.pass(300);
    }
    const look = one.look();
    expect(look).toMatchObject({ ...BTC, tells: 'depth', mark: null, funding: null });
    expect(look?.depth?.bids).toHaveLength(10);
    expect(Number(look?.depth?.bids[0]?.[0])).toBeLessThan(60_000.5);
    expect(look?.tape.slice(0, 4).map(({ price, quantity }) => [price, quantity])).toEqual([
      ['60000.5', '0.5'],
      ...['59990', '60020', '60010'].map((price) => [price, '0.5']),
    ]);
    expect(look?.forming).toMatchObject({ high: '60020', low: '59990', close: '60000.5' });
    expect(Number(look?.day?.high)).toBeGreaterThanOrEqual(60_020);
    expect(Number(look?.day?.volume)).toBeGreaterThanOrEqual(2);
    await one.call('market.lookAway', {});
    await x.pass(1_000);
    expect(one.look()).toBeUndefined();
    expect(x.depths()).toEqual([]);
  });

  it('has in each frame the candle of which its minutes are parts, also of minutes before anybody looked', async () => {
    const x = await lookRig();
    const one = x.attach();
    x.print('BTCUSDT', '61000.00', '1');
    await x.pass(MINUTE);
    x.print('BTCUSDT', '60500.00', '2');
    await x.pass(3 * MINUTE);
    await one.call('market.look', { ...BTC, frameMs: HOUR });
    await x.pass(8_000);
    x.print('BTCUSDT', '60700.00', '4');
    await x.pass(500);
    const { forming } = one.look() ?? {};
    expect(forming).toMatchObject({ high: '61000', low: '60500', close: '60700', volume: '7' });
    expect((forming?.time ?? 1) % HOUR).toBe(0);
    await one.call('market.look', BTC);
    await x.pass(500);
    expect(one.look()).toMatchObject({
      frameMs: MINUTE,
      forming: { open: '60500', high: '60700', volume: '4' },
    });
    // A minute later the exchange's own candle has replaced it.
    await x.pass(2 * MINUTE);
    await one.call('market.look', { ...BTC, frameMs: HOUR });
    await x.pass(500);
    expect(one.look()?.forming).toMatchObject({ high: '61000', low: '60500', volume: '7' });
  });

  it('costs a terminal that stands still nothing: one message waits, however much happens, then one tells what is', async () => {
    const x = await lookRig();
    const [slow, quick] = [x.attach(), x.attach()];
    await slow.call('market.look', BTC);
    await quick.call('market.look', BTC);
    await x.pass(6_000);
    slow.end.isSlow = true;
    await x.pass(500);
    const before = slow.got.length;
    for (let at = 0; at < 300; at++) {
      x.print('BTCUSDT', `${60_000 + (at % 7)}.00`);
      await x.pass(50);
    }
    expect(slow.got.length).toBeLessThanOrEqual(before + 1);
    const states = quick.got.filter(({ t }) => t === 'delta').length;
    expect(states).toBeGreaterThan(50);
    expect(states).toBeLessThan(300);
    slow.end.isSlow = false;
    slow.ack();
    await x.pass(500);
    const { tape = [] } = slow.look() ?? {};
    expect(tape).toHaveLength(TAPE_LENGTH);
    expect(tape).toEqual(quick.look()?.tape);
    expect(slow.look()?.depth).toEqual(quick.look()?.depth);
    for (const one of [slow, quick]) one.close();
    await x.pass(1_000);
    expect(x.depths()).toEqual([]);
  });

  it('is one that an account trades, in a frame that there is; another one stays', async () => {
    const x = await lookRig();
    const one = x.attach();
    await one.call('market.look', BTC);
    for (const wrong of [
      { ...BTC, symbol: 'NOSUCHUSDT' },
      { ...BTC, market: 'nowhere' },
      { ...BTC, frameMs: 90_000 },
      { ...BTC, frameMs: 2 * 24 * HOUR },
    ])
      expect((await one.call('market.look', wrong)).value?.ok, JSON.stringify(wrong)).toBe(false);
    await x.pass(500);
    expect(one.look()).toMatchObject(BTC);
    await one.call('market.look', { market: 'binance-futures', symbol: 'BTCUSDT', frameMs: HOUR });
    await x.pass(8_000);
    expect(one.look()).toMatchObject({ market: 'binance-futures', tells: 'depth' });
    expect(Number(one.look()?.mark)).toBeGreaterThan(0);
    expect(one.look()?.funding?.at).toBeGreaterThan(x.emulator.now());
  });

  it('is shown by a desk as it is opened, on paper with last prices only', async () => {
    const { desk } = await openTestDesk({ hold: true });
    const opened = desk.look?.({ market: 'paper', symbol: 'BTCUSDT', frameMs: HOUR }, () => {});
    if (!opened) throw new Error('the desk shows no market');
    const look = ok(opened);
    expect(look.whole()).toMatchObject({ symbol: 'BTCUSDT', tells: 'last', depth: null, tape: [] });
    look.end();
  });
});
