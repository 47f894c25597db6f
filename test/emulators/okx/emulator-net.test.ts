/** The virtual network in front of the emulator: a lost request was executed or not, as its fault says. */
import { describe, expect, it } from 'vitest';
import { Dice } from '../../simulation/dice.ts';
import { EmulatorNet, type NetFaults } from '../kit/emulator-net.ts';
import { testEmulator } from './support.ts';

const BODY = JSON.stringify({
  instId: 'BTC-USDT',
  tdMode: 'cash',
  side: 'buy',
  ordType: 'limit',
  px: '59000',
  sz: '1',
  clOrdId: 'n1',
});
const PATH = '/api/v5/trade/order';

function netted(faults: NetFaults) {
  const all = testEmulator();
  const net = new EmulatorNet({ emulator: all.emulator, clock: all.clock, dice: new Dice(7, 'net'), faults });
  const send = () =>
    net.request({
      origin: 'https://openapi.okx.com',
      method: 'POST',
      path: PATH,
      headers: all.headersOf('POST', PATH, BODY),
      body: BODY,
      timeoutMs: 1000,
      bytesMax: 100_000,
    });
  const isThere = () => all.emulator.exchange.account('main').orders.byClient('n1') !== undefined;
  return { ...all, net, send, isThere };
}

describe('the network', () => {
  it('answers, loses the request, or loses the answer of what was executed', async () => {
    for (const [faults, kind, there] of [
      [{}, 'answer', true],
      [{ requestLost: 1 }, 'lost', false],
      [{ unsent: 1 }, 'unsent', false],
      [{ answerLost: 1 }, 'lost', true],
    ] as const) {
      const { send, isThere, clock } = netted(faults);
      const sent = send();
      await clock.advance(3000);
      expect([(await sent).kind, isThere()]).toEqual([kind, there]);
    }
  });

  it('says in the exchange’s words what is executed with an unknown outcome, refused, or shut out', async () => {
    for (const [faults, statuses, there] of [
      [{ executedUnknown: 1 }, [400, 500, 502], true],
      [{ failed: 1 }, [503], false],
      [{ limited: 1 }, [429], false],
      [{ banned: 1 }, [403], false],
    ] as const) {
      const { send, isThere, clock, net } = netted(faults);
      const sent = send();
      await clock.advance(100);
      const answer = await sent;
      expect(answer.kind === 'answer' && (statuses as readonly number[]).includes(answer.status)).toBe(true);
      expect(isThere()).toBe(there);
      if (!('banned' in faults)) continue;
      // The following requests are banned too, for a while.
      net.faults = {};
      const next = send();
      await clock.advance(100);
      expect(await next).toMatchObject({ status: 403 });
      await clock.advance(5000);
      const last = send();
      await clock.advance(100);
      expect(await last).toMatchObject({ status: 200 });
    }
  });

  it('carries sockets, and cuts them', async () => {
    const { net, clock, loginArg } = netted({});
    const seen: string[] = [];
    const socket = net.socket(
      { url: 'wss://ws.okx.com:8443/ws/v5/private', timeoutMs: 1000, bytesMax: 100_000 },
      {
        opened: () => seen.push('opened'),
        message: (text) => seen.push(JSON.parse(text).event),
        pinged: () => {},
        closed: (cause) => seen.push(cause),
      },
    );
    await clock.advance(10);
    socket.send(JSON.stringify({ op: 'login', args: [loginArg()] }));
    await clock.advance(10);
    net.cut('gone');
    expect(seen).toEqual(['opened', 'login', 'gone']);
  });
});
