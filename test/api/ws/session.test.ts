/**
 * A WebSocket session, case by case: every error code, close code, limit and filter rule, without a socket.
 */
import { describe, expect, it } from 'vitest';
import type { Tier } from '../../../src/domain/actor.ts';
import { ADDRESS, accessKey, CHALLENGE, errorOf, NOW, SessionRig, WsSigner } from './session-rig.ts';

const ERROR_TEXT = { code: expect.any(String), message: expect.stringMatching(/^[\x20-\x7e]{5,400}$/) };

describe('a new connection', () => {
  // proves: ws-message challenge
  it('is sent its challenge first', () => {
    expect(new SessionRig().open().sent).toEqual([
      { op: 'challenge', ts: NOW, data: { challenge: CHALLENGE } },
    ]);
  });

  // proves: ws-op ping, ws-message pong, D38, rule ws-id-echo
  it('may ping before it authenticates, and gets the id back', () => {
    const rig = new SessionRig();
    expect(rig.say({ op: 'ping' }).sent).toEqual([{ op: 'pong', ts: NOW }]);
    expect(rig.say({ op: 'ping', id: 'p-1' }).sent).toEqual([{ op: 'pong', id: 'p-1', ts: NOW }]);
    expect(rig.say({ op: 'ping', id: '' }).sent).toEqual([{ op: 'pong', id: '', ts: NOW }]);
  });

  // proves: ws-error AUTH_REQUIRED, D38, rule ws-subscribe-needs-key
  it.each(['subscribe', 'unsubscribe'])('cannot %s', (op) => {
    const rig = new SessionRig();
    const message = { op, id: 's', args: { channel: 'orders' } };
    expect(errorOf(rig.say(message))).toEqual({ code: 'AUTH_REQUIRED', op, id: 's' });
    expect(rig.topics).toEqual([]);
  });

  // proves: ws-error INVALID_ARGS, rule ws-unknown-op, D38
  it('is told of an unknown op, which it no longer is once authenticated', () => {
    const rig = new SessionRig();
    const message = { op: 'subscribee', id: 'u' };
    const { sent } = rig.say(message);
    expect(sent).toEqual([
      {
        op: 'error',
        id: 'u',
        ts: NOW,
        data: {
          code: 'INVALID_ARGS',
          message: expect.stringContaining('did you mean "subscribe"'),
          op: 'subscribee',
        },
      },
    ]);
    expect(rig.in().say(message)).toEqual({ sent: [], closed: null });
    expect(rig.say({ op: 'nonsense', id: 7, args: [] })).toEqual({ sent: [], closed: null });
  });
});

describe('authentication', () => {
  // proves: ws-op auth, ws-message auth
  it('with a right signature is answered with the user', () => {
    const rig = new SessionRig();
    const { sent, closed } = rig.say({ op: 'auth', id: 'a', args: rig.args() });
    expect(sent).toEqual([{ op: 'auth', id: 'a', ts: NOW, data: { authenticated: true, userId: 'owner' } }]);
    expect(closed).toBeNull();
    expect(rig.session.keyId).toBe(rig.signer.keyId);
  });

  // proves: rule ws-sign-form
  it('takes the signature in either Base64 alphabet', () => {
    const rig = new SessionRig();
    const { sign, ...args } = rig.args();
    const text = Buffer.from(sign, 'base64').toString('base64url');
    rig.say({ op: 'auth', args: { ...args, sign: text } });
    expect(rig.authenticated).not.toBeNull();
  });

  // proves: limit timestamp-skew
  it.each([-5_000, 5_000])('takes a timestamp %d ms away', (offset) => {
    const rig = new SessionRig();
    rig.say({ op: 'auth', args: rig.args(NOW + offset) });
    expect(rig.authenticated).not.toBeNull();
  });

  const other = new WsSigner(9);
  const right = new WsSigner().args(CHALLENGE, NOW);
  // proves: ws-error TIMESTAMP_EXPIRED, ws-error TIMESTAMP_INVALID, ws-error INVALID_ARGS, ws-error INVALID_KEY, ws-error INVALID_SIGNATURE
  it.each<[string, unknown, string]>([
    ['a timestamp 5,001 ms behind', new WsSigner().args(CHALLENGE, NOW - 5_001), 'TIMESTAMP_EXPIRED'],
    ['a timestamp 5,001 ms ahead', new WsSigner().args(CHALLENGE, NOW + 5_001), 'TIMESTAMP_EXPIRED'],
    ['a timestamp that is no integer', { ...right, timestamp: 1.5 }, 'TIMESTAMP_INVALID'],
    ['a negative timestamp', { ...right, timestamp: -NOW }, 'TIMESTAMP_INVALID'],
    ['a timestamp beyond exact numbers', { ...right, timestamp: 1e300 }, 'TIMESTAMP_INVALID'],
    ['a timestamp as text', { ...right, timestamp: String(NOW) }, 'INVALID_ARGS'],
    ['no timestamp', { key: right.key, sign: right.sign }, 'INVALID_ARGS'],
    ['no args', undefined, 'INVALID_ARGS'],
    ['args that are a list', [right], 'INVALID_ARGS'],
    ['a key that is cut', { ...right, key: right.key.slice(1) }, 'INVALID_ARGS'],
    ['a key that is no text', { ...right, key: 43 }, 'INVALID_ARGS'],
    ['a signature that is cut', { ...right, sign: right.sign.slice(4) }, 'INVALID_ARGS'],
    ['an unknown key', other.args(CHALLENGE, NOW), 'INVALID_KEY'],
    ["another key's signature", { ...other.args(CHALLENGE, NOW), key: right.key }, 'INVALID_SIGNATURE'],
    ["another connection's challenge", new WsSigner().args(`${CHALLENGE}0`, NOW), 'INVALID_SIGNATURE'],
    ['another timestamp than signed', { ...right, timestamp: NOW + 1 }, 'INVALID_SIGNATURE'],
  ])('with %s is refused', (_what, args, code) => {
    const rig = new SessionRig();
    const { sent, closed } = rig.say({ op: 'auth', id: 'a', args });
    expect(sent).toEqual([{ op: 'error', id: 'a', ts: NOW, data: { ...ERROR_TEXT, code, op: 'auth' } }]);
    expect(closed).toBeNull();
    expect(rig.authenticated).toBeNull();
  });

  it('with a revoked key is refused', () => {
    const rig = new SessionRig({ keys: [accessKey({ revokedAt: 1 })] });
    expect(errorOf(rig.say({ op: 'auth', args: rig.args() })).code).toBe('INVALID_KEY');
  });

  // proves: ws-error IP_REJECTED, rule ws-ip-list, D4
  it('goes by the IP list of the key, after the signature', () => {
    const listed = new SessionRig({ keys: [accessKey({ ipList: ['203.0.113.0/24'] })] });
    expect(listed.in().authenticated).not.toBeNull();
    const rig = new SessionRig({ keys: [accessKey({ ipList: ['10.0.0.0/8'] })] });
    expect(errorOf(rig.say({ op: 'auth', args: rig.args() })).code).toBe('IP_REJECTED');
    const forged = { ...other.args(CHALLENGE, NOW), key: right.key };
    expect(errorOf(rig.say({ op: 'auth', args: forged })).code).toBe('INVALID_SIGNATURE');
    expect(ADDRESS).toBe('203.0.113.7');
  });

  // proves: rule ws-challenge-single-use, ws-error CHALLENGE_MISSING, D37
  it('that failed keeps the challenge; success uses it up', () => {
    const rig = new SessionRig();
    rig.say({ op: 'auth', args: {} });
    rig.in();
    const again = { op: 'auth', id: 'b', args: rig.args() };
    expect(errorOf(rig.say(again))).toEqual({ code: 'CHALLENGE_MISSING', op: 'auth', id: 'b' });
    expect(rig.say({ op: 'ping' }).sent).toHaveLength(1);
  });

  // proves: limit auth-attempts, ws-error TOO_MANY_ATTEMPTS, ws-close 4001, rule ws-auth-attempts
  it('ends with the fifth failure, not with the fourth', () => {
    const rig = new SessionRig();
    for (let i = 0; i < 4; i++) expect(rig.say({ op: 'auth', args: {} }).closed).toBeNull();
    const { sent, closed } = rig.say({ op: 'auth', id: 'e', args: {} });
    expect(sent.map((message) => [message.op, 'id' in message ? message.id : null])).toEqual([
      ['error', 'e'],
      ['error', null],
    ]);
    expect(sent[1]).toEqual({ op: 'error', ts: NOW, data: { ...ERROR_TEXT, code: 'TOO_MANY_ATTEMPTS' } });
    expect(closed).toEqual({ code: 4001, reason: 'TOO_MANY_ATTEMPTS' });
    expect(rig.say({ op: 'ping' })).toEqual({ sent: [], closed: null });
  });

  it('may still succeed with the fifth attempt', () => {
    const rig = new SessionRig();
    for (let i = 0; i < 4; i++) rig.say({ op: 'auth', args: {} });
    expect(rig.in().authenticated).not.toBeNull();
  });

  // proves: limit auth-time, ws-error AUTH_TIMEOUT, ws-close 4001, rule ws-auth-deadline
  it('that does not come in time ends the connection', () => {
    const rig = new SessionRig();
    const { sent, closed } = rig.pass(5_000).timeout();
    expect(sent).toEqual([{ op: 'error', ts: NOW + 5_000, data: { ...ERROR_TEXT, code: 'AUTH_TIMEOUT' } }]);
    expect(closed).toEqual({ code: 4001, reason: 'AUTH_TIMEOUT' });
    expect(rig.in.bind(rig)).toThrow();
  });

  it('is in time for ever once it has succeeded', () => {
    expect(new SessionRig().in().timeout()).toEqual({ sent: [], closed: null });
  });
});

describe('authentication that takes its time', () => {
  const good = { ok: true, key: accessKey() } as const;

  // proves: ws-error AUTH_IN_PROGRESS, D36
  it('lets no second one begin, and that does not count as an attempt', () => {
    const rig = new SessionRig({ later: true });
    rig.say({ op: 'auth', id: '1', args: rig.args() });
    for (let i = 0; i < 7; i++) {
      const second = rig.say({ op: 'auth', id: '2', args: rig.args() });
      expect(errorOf(second)).toEqual({ code: 'AUTH_IN_PROGRESS', op: 'auth', id: '2' });
    }
    expect(errorOf(rig.say({ op: 'subscribe', args: { channel: 'orders' } })).code).toBe('AUTH_REQUIRED');
    expect(rig.say({ op: 'ping' }).sent).toHaveLength(1);
    expect(rig.verifying).toBe(1);
    expect(rig.verdict(good).sent).toEqual([
      { op: 'auth', id: '1', ts: NOW, data: { authenticated: true, userId: 'owner' } },
    ]);
  });

  it('ends with the time limit all the same, and a late verdict says nothing', () => {
    const rig = new SessionRig({ later: true });
    rig.say({ op: 'auth', args: rig.args() });
    expect(rig.timeout().closed).toEqual({ code: 4001, reason: 'AUTH_TIMEOUT' });
    expect(rig.verdict(good)).toEqual({ sent: [], closed: null });
    expect(rig.authenticated).toBeNull();
  });

  // proves: ws-error INTERNAL_ERROR
  it('that fails through no fault of the client does not count as an attempt', () => {
    const rig = new SessionRig({ later: true, limits: { authAttempts: 1 } });
    for (let i = 0; i < 3; i++) {
      rig.say({ op: 'auth', args: rig.args() });
      const failed = rig.verdict({ ok: false, code: 'INTERNAL_ERROR', message: 'an unexpected error' });
      expect(errorOf(failed).code).toBe('INTERNAL_ERROR');
      expect(failed.closed).toBeNull();
    }
  });

  // proves: ws-error UNAUTHORIZED
  it('may be refused with any code of its verifier', () => {
    const rig = new SessionRig({ later: true });
    rig.say({ op: 'auth', args: rig.args() });
    const refused = rig.verdict({ ok: false, code: 'UNAUTHORIZED', message: 'not with this plan' });
    expect(errorOf(refused)).toEqual({ code: 'UNAUTHORIZED', op: 'auth' });
  });
});

describe('a revoked key', () => {
  // proves: ws-error KEY_REVOKED, ws-close 4003
  it('ends its session', () => {
    const { sent, closed } = new SessionRig().in().revoke();
    expect(sent).toEqual([{ op: 'error', ts: NOW, data: { ...ERROR_TEXT, code: 'KEY_REVOKED' } }]);
    expect(closed).toEqual({ code: 4003, reason: 'KEY_REVOKED' });
  });

  it('ends a session that is about to have it', () => {
    const rig = new SessionRig({ later: true });
    expect(rig.session.keyId).toBeNull();
    rig.say({ op: 'auth', args: rig.args() });
    expect(rig.session.keyId).toBe(rig.signer.keyId);
    expect(rig.revoke().closed).toEqual({ code: 4003, reason: 'KEY_REVOKED' });
    expect(rig.verdict({ ok: true, key: accessKey() }).sent).toEqual([]);
    expect(rig.session.keyId).toBeNull();
  });

  // proves: ws-error UNAUTHORIZED
  it('subscribes to nothing in the moment before its session ends', () => {
    const rig = new SessionRig().in();
    rig.keys.clear();
    const refused = rig.say({ op: 'subscribe', id: 's', args: { channel: 'orders' } });
    expect(errorOf(refused)).toEqual({ code: 'UNAUTHORIZED', op: 'subscribe', id: 's' });
    expect(rig.topics).toEqual([]);
  });
});

describe('a message', () => {
  // proves: ws-error INVALID_JSON
  it.each<[string, string | Buffer, boolean]>([
    ['is binary', '{"op":"ping"}', true],
    ['is no JSON', 'ping', false],
    ['is empty', '', false],
    ['is a list', '[{"op":"ping"}]', false],
    ['is a text', '"ping"', false],
    ['is null', 'null', false],
    ['has a field twice', '{"op":"ping","op":"ping"}', false],
    ['reaches for the prototype', '{"op":"ping","__proto__":{}}', false],
    ['begins with a byte order mark', '\ufeff{"op":"ping"}', false],
    ['is nested too deep', `{"op":"ping","args":${'['.repeat(40)}${']'.repeat(40)}}`, false],
    ['is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), false],
  ])('that %s is refused, before and after authentication', (_what, text, binary) => {
    for (const rig of [new SessionRig(), new SessionRig().in()]) {
      const { sent, closed } = rig.raw(text, binary);
      expect(sent).toEqual([{ op: 'error', ts: NOW, data: { ...ERROR_TEXT, code: 'INVALID_JSON' } }]);
      expect(closed).toBeNull();
    }
  });

  it.each<[string, unknown]>([
    ['has no op', { id: 'x' }],
    ['has an op that is no text', { op: 5 }],
    ['has an id that is no text', { op: 'ping', id: 5 }],
    ['has an id that is null', { op: 'ping', id: null }],
    ['has an id of 129 characters', { op: 'ping', id: 'x'.repeat(129) }],
  ])('that %s is refused, before and after authentication', (_what, message) => {
    for (const rig of [new SessionRig(), new SessionRig().in()]) {
      expect(errorOf(rig.say(message)).code).toBe('INVALID_ARGS');
    }
  });

  it('may have an id of 128 characters, and fields that nobody knows', () => {
    const id = '\u20ac'.repeat(128);
    expect(new SessionRig().say({ op: 'ping', id, more: 1 }).sent).toEqual([{ op: 'pong', id, ts: NOW }]);
  });

  it('is answered in bounded length, whatever it holds', () => {
    const long = 'x\u001b[31m'.repeat(9_000);
    for (const message of [
      { op: long },
      { op: 'subscribe', args: { channel: long } },
      { op: 'subscribe', args: { [long]: 1 } },
      { op: 'auth', args: { key: long } },
    ]) {
      for (const rig of [new SessionRig(), new SessionRig().in()]) {
        for (const answer of rig.say(message).sent) {
          expect(JSON.stringify(answer)).toMatch(/^[\x20-\x7e]{1,600}$/);
        }
      }
    }
  });
});

describe('the message budget', () => {
  // proves: limit ws-messages, ws-error RATE_LIMITED, ws-close 1008
  it('is 200 in any 10 s; the next message ends the connection', () => {
    const rig = new SessionRig().in();
    for (let i = 1; i < 200; i++) expect(rig.say({ op: 'ping' }).closed).toBeNull();
    const { sent, closed } = rig.pass(9_999).say({ op: 'ping' });
    expect(sent).toEqual([{ op: 'error', ts: NOW + 9_999, data: { ...ERROR_TEXT, code: 'RATE_LIMITED' } }]);
    expect(closed).toEqual({ code: 1008, reason: 'RATE_LIMITED' });
    expect(rig.pass(60_000).say({ op: 'ping' })).toEqual({ sent: [], closed: null });
  });

  it('has room again once the oldest message is 10 s old', () => {
    const rig = new SessionRig();
    for (let i = 0; i < 200; i++) rig.say({ op: 'ping' });
    expect(rig.pass(10_000).say({ op: 'ping' })).toMatchObject({ sent: [{ op: 'pong' }], closed: null });
  });

  it('counts whatever comes: what is no JSON, what is ignored, control pings', () => {
    const rig = new SessionRig({ limits: { messages: 4 } }).in();
    rig.raw('nonsense');
    rig.say({ op: 'unheard-of' });
    expect(rig.frame()).toEqual({ sent: [], closed: null });
    expect(rig.frame().closed).toEqual({ code: 1008, reason: 'RATE_LIMITED' });
  });

  it('goes by durations: setting the wall clock changes nothing', () => {
    const rig = new SessionRig({ limits: { messages: 2 } });
    rig.say({ op: 'ping' });
    rig.say({ op: 'ping' });
    rig.wall += 86_400_000;
    expect(rig.say({ op: 'ping' }).closed?.code).toBe(1008);
  });
});

describe('a subscription', () => {
  // proves: ws-op subscribe, ws-op unsubscribe, ws-message subscribed, ws-message unsubscribed
  it('is acknowledged, and so is taking it back', () => {
    const rig = new SessionRig().in();
    const args = { channel: 'orders', exchange: 'paper-spot' };
    expect(rig.say({ op: 'subscribe', id: '1', args }).sent).toEqual([
      { op: 'subscribed', id: '1', ts: NOW, channel: 'orders' },
    ]);
    expect(rig.topics).toEqual([{ channel: 'orders', key: 'paper-spot' }]);
    expect(rig.say({ op: 'unsubscribe', id: '2', args }).sent).toEqual([
      { op: 'unsubscribed', id: '2', ts: NOW, channel: 'orders' },
    ]);
    expect(rig.topics).toEqual([]);
  });

  it('may be made with any tier', () => {
    for (const tier of ['read', 'trade', 'full'] as const) {
      const rig = new SessionRig({ keys: [accessKey({ tier })] }).in();
      expect(rig.say({ op: 'subscribe', args: { channel: 'balance' } }).sent[0]?.op).toBe('subscribed');
    }
  });

  // proves: ws-error INSUFFICIENT_PERMISSIONS
  it('needs a tier that may read', () => {
    const rig = new SessionRig({ keys: [accessKey({ tier: 'none' as Tier })] }).in();
    const refused = rig.say({ op: 'subscribe', id: 's', args: { channel: 'orders' } });
    expect(errorOf(refused)).toEqual({ code: 'INSUFFICIENT_PERMISSIONS', op: 'subscribe', id: 's' });
    expect(rig.topics).toEqual([]);
  });

  it('takes the name of an exchange of 64 characters', () => {
    const rig = new SessionRig().in();
    const args = { channel: 'orders', exchange: 'x'.repeat(64) };
    expect(rig.say({ op: 'subscribe', args }).sent).toMatchObject([{ op: 'subscribed' }]);
  });

  it.each<[string, unknown]>([
    ['no args', undefined],
    ['a list', ['orders']],
    ['no channel', {}],
    ['an unknown channel', { channel: 'candles' }],
    ['a channel of other case', { channel: 'Orders' }],
    ['an exchange that is no text', { channel: 'orders', exchange: 1 }],
    ['an exchange that is null', { channel: 'orders', exchange: null }],
    ['an empty exchange', { channel: 'orders', exchange: '' }],
    ['an exchange of 65 characters', { channel: 'orders', exchange: 'x'.repeat(65) }],
    ['a symbol that is no text', { channel: 'orders', exchange: 'a', symbol: ['BTCUSDT'] }],
    ['a filter spelled wrongly', { channel: 'orders', exchnage: 'paper-spot' }],
  ])('with %s is refused', (_what, args) => {
    const rig = new SessionRig().in();
    for (const op of ['subscribe', 'unsubscribe']) {
      expect(errorOf(rig.say({ op, id: 'x', args }))).toEqual({ code: 'INVALID_ARGS', op, id: 'x' });
    }
    expect(rig.topics).toEqual([]);
  });

  // proves: D39
  it('is one of 200 at most; one that is there already is none more', () => {
    const rig = new SessionRig({ limits: { messages: 1_000 } }).in();
    const subscribe = (i: number) =>
      rig.say({ op: 'subscribe', args: { channel: 'orders', exchange: 'e', symbol: `S${i}` } });
    for (let i = 0; i < 200; i++) expect(subscribe(i).sent[0]?.op).toBe('subscribed');
    expect(errorOf(subscribe(200)).code).toBe('INVALID_ARGS');
    expect(subscribe(7).sent[0]?.op).toBe('subscribed');
    rig.say({ op: 'unsubscribe', args: { channel: 'orders', exchange: 'e', symbol: 'S7' } });
    expect(subscribe(200).sent[0]?.op).toBe('subscribed');
    expect(rig.topics).toHaveLength(200);
  });

  // proves: D39
  it('that was never made is taken back like any other', () => {
    const rig = new SessionRig().in();
    const { sent } = rig.say({ op: 'unsubscribe', args: { channel: 'positions' } });
    expect(sent).toEqual([{ op: 'unsubscribed', ts: NOW, channel: 'positions' }]);
  });
});
