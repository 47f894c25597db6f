/**
 * A faulty or hostile caller of the attach socket: wrong frames, silence, and calls of every wrong form; the
 * desk continues and serves the others.
 */
import { describe, expect, it } from 'vitest';
import { CALL_PARAMS } from '../../src/desk/console/call-params.ts';
import { type FromDesk, type Method, PROTOCOL_VERSION } from '../../src/desk/console/protocol.ts';
import { createSessionHub, MAX_SILENT } from '../../src/desk/console/session-hub.ts';
import { directLines } from '../../src/desk/hosting/transports/direct.ts';
import { encodeFrame, FrameReader, MAX_CALL_BYTES } from '../../src/desk/hosting/transports/frames.ts';
import { LEVELS, openBots } from '../desk/integration/bots-rig.ts';
import { EXCHANGE, ok, type TestDesk } from '../desk/integration/support.ts';
import { attacked } from '../support/attacks.ts';

const CLASS = 'attach socket: broken frames, wrong calls, silence';

function terminalsOf({ desk, clock }: TestDesk) {
  const reports: string[] = [];
  const hub = createSessionHub({ desk, clock, report: (doing, error) => reports.push(`${doing}: ${error}`) });
  return {
    reports,
    hub,
    open() {
      const ends = directLines();
      const got: FromDesk[] = [];
      let closed = false;
      ends.terminal.onMessage((message) => got.push(message));
      ends.terminal.onClosed(() => {
        closed = true;
      });
      hub.accept(ends.desk);
      return { got, closed: () => closed, send: (message: unknown) => ends.terminal.send(message as never) };
    },
  };
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { inner: value };
  return value;
}

const WRONG: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  '',
  'x',
  'x'.repeat(300),
  '\u0000',
  '__proto__',
  '1e99',
  [],
  {},
  [null],
  [[]],
  [{}],
  { length: 1 },
  { toString: 1 },
  nested(100),
];

/** Names of the fields that a call may have, in all its forms. */
function namesOf(schema: unknown): string[] {
  const { properties = {}, anyOf = [] } = schema as { properties?: object; anyOf?: readonly unknown[] };
  return [...new Set([...Object.keys(properties), ...anyOf.flatMap(namesOf)])];
}

const BOT = { type: LEVELS.type, settings: LEVELS.settings };
/** A valid order, so that one field at a time can be made wrong. */
const ORDER = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '1',
  quantity: '1',
};
const RIGHT: Partial<Record<Method, object>> = {
  'orders.place': ORDER,
  'orders.check': ORDER,
  'bots.create': { bot: BOT },
  'bots.check': BOT,
  'bots.ladder': BOT,
  'bots.patch': { id: 'b', change: { config: {} } },
  'bots.batch': { op: 'start', ids: ['b'] },
  'bots.stop': { id: 'b', runId: 'r', way: {} },
  'futures.set': { exchange: 'paper-futures', setting: { kind: 'hedgeMode', on: true } },
  'keys.generate': { label: 'x', tier: 'read' },
  'paper.faults': { exchange: EXCHANGE, change: { delay: 0 } },
  'desk.panic': { phase: 'end', all: 1, done: 1, failed: 0 },
};

function* wrongParams(method: Method): Generator<unknown> {
  const names = namesOf(CALL_PARAMS[method]);
  const usual = { id: 'x', exchange: EXCHANGE, symbol: 'BTCUSDT', limit: 10 };
  const right =
    RIGHT[method] ?? Object.fromEntries(Object.entries(usual).filter(([name]) => names.includes(name)));
  if (names.length > 0) yield {};
  yield* [[], ['x'], { unknown: 1 }, { ...right, unknown: 1 }, { ...right, inner: nested(100) }];
  for (const name of names) for (const value of WRONG) yield { ...right, [name]: value };
  for (const [name, value] of Object.entries(right)) {
    if (typeof value !== 'object') continue;
    for (const inner of Object.keys(value))
      for (const wrong of WRONG) yield { ...right, [name]: { ...value, [inner]: wrong } };
  }
}

describe('calls of every method with wrong parameters', () => {
  it('are refused or answered, none fails inside, and the desk goes on', async () => {
    // Keys are derived at once: the test's time is virtual.
    const ports = { vault: { derive: async () => Buffer.alloc(32) } };
    const r = await openBots(['100'], { ports });
    const { open, reports } = terminalsOf(r.t);
    let ended: string | null = null;
    void r.t.desk.stopping.then(({ reason }) => {
      ended = reason;
    });
    const one = open();
    one.send({ t: 'hello', protocol: PROTOCOL_VERSION, state: false });
    await r.t.clock.settle();
    let tries = 0;
    for (const method of Object.keys(CALL_PARAMS) as Method[]) {
      for (const params of wrongParams(method)) {
        one.send({ t: 'call', id: ++tries, method, params });
        await r.t.clock.settle();
      }
    }
    await r.t.clock.advance(120_000);
    const answered = one.got.filter(({ t }) => t === 'result' || t === 'error');
    const inside = answered.filter((answer) => answer.t === 'error' && answer.message.includes('internally'));
    expect(reports).toEqual([]);
    expect(inside).toEqual([]);
    expect(ended).toBeNull();
    expect(answered).toHaveLength(tries);
    expect(one.closed()).toBe(false);
    ok(await r.t.call('bots.create', { bot: LEVELS }));
    attacked(CLASS, tries, answered.length);
  });

  it('that once ended the desk are refused with what is wrong', async () => {
    const r = await openBots(['100']);
    const { open } = terminalsOf(r.t);
    const one = open();
    one.send({ t: 'hello', protocol: PROTOCOL_VERSION, state: false });
    const calls = [
      ['bots.create', {}, /bot/],
      ['bots.batch', { op: 'start', ids: 'x' }, /parameters have none of the forms/],
      ['futures.set', { exchange: 'paper-futures' }, /setting/],
    ] as const;
    for (const [id, [method, params]] of calls.entries()) one.send({ t: 'call', id, method, params });
    await r.t.clock.settle();
    for (const [id, [method, , words]] of calls.entries()) {
      const answer = one.got.find((message) => message.t === 'error' && message.id === id);
      expect(answer).toMatchObject({ message: expect.stringMatching(words) });
      expect(answer).toMatchObject({ message: expect.stringContaining(`${method}: `) });
    }
    attacked(CLASS, calls.length, calls.length);
  });
});

describe('frames', () => {
  const header = (length: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(length >>> 0);
    return bytes;
  };
  const framed = (text: string) => Buffer.concat([header(Buffer.byteLength(text)), Buffer.from(text)]);

  it('that are malformed or too long end their line alone; deep and long messages reach nothing', () => {
    const bad = [
      header(MAX_CALL_BYTES + 1),
      header(0xffff_ffff),
      framed(''),
      framed('{'),
      framed('nonsense'),
      framed('{"t":"call"'),
      framed(`${'['.repeat(100_000)}`),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    ];
    for (const bytes of bad) expect(() => new FrameReader(MAX_CALL_BYTES).push(bytes)).toThrow();
    const deep = framed(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(new FrameReader(MAX_CALL_BYTES).push(deep)).toHaveLength(1);
    expect(() => encodeFrame('x'.repeat(100), 50)).toThrow();
    attacked(CLASS, bad.length + 2, bad.length + 2);
  });
});

describe('connections that say nothing', () => {
  it('do not keep the operator out, and are gone after a while', async () => {
    const r = await openBots(['100']);
    const { open, hub } = terminalsOf(r.t);
    const silent = Array.from({ length: 40 }, () => open());
    const operator = open();
    operator.send({ t: 'hello', protocol: PROTOCOL_VERSION });
    await r.t.clock.settle();
    expect(operator.got[0]).toMatchObject({ t: 'snapshot' });
    expect(silent.filter((one) => !one.closed()).length).toBeLessThan(MAX_SILENT);
    await r.t.clock.advance(5_000);
    expect(silent.every((one) => one.closed())).toBe(true);
    expect(operator.closed()).toBe(false);
    expect(hub.size()).toBe(1);
    attacked(CLASS, silent.length, silent.length);
  });
});
