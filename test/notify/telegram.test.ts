/** Telegram against a real server on loopback that answers as the Bot API does. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Sent } from '../../src/notify/target.ts';
import { TEXT_LENGTH, Telegram, textOf } from '../../src/notify/telegram.ts';
import { ALERT, closing, FINAL, openReceiver, PASSING, type Receiver, sending } from './receiver.ts';

const HALF = 'AAExampleTokenExampleTokenExample-0';
const TOKEN = `123456789:${HALF}`;

let api: Receiver;
beforeEach(async () => {
  api = await openReceiver();
  say(200, { ok: true, result: { message_id: 1 } });
});

function say(status: number, body: object | string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  api.answer((response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text));
}

function telegram(chat = '-1001234567890'): Telegram {
  return closing(new Telegram({ type: 'telegram', name: 'phone', token: TOKEN, chat, baseUrl: api.url }));
}

function failure(sent: Sent): Extract<Sent, { ok: false }> {
  if (sent.ok) throw new Error('it was taken');
  return sent;
}

const sent = () => JSON.parse(api.received.at(-1)?.body ?? '') as { chat_id: unknown; text: string };

describe('a Telegram chat', () => {
  it('is sent the message with its market time', async () => {
    expect(await telegram().send(ALERT, sending())).toEqual({ ok: true });
    expect(api.received[0]).toMatchObject({
      method: 'POST',
      url: `/bot${TOKEN}/sendMessage`,
      headers: { 'content-type': 'application/json' },
    });
    expect(sent()).toEqual({
      chat_id: -1001234567890,
      text: 'BTCUSDT has crossed 61234.5 upwards – "at last"\n2025-02-03 02:04:00 UTC',
    });
  });

  it.each([
    ['@channel_name', '@channel_name'],
    ['42', 42],
    ['9999999999999999', '9999999999999999'],
  ])('%s is named as %j', async (chat, id) => {
    await telegram(chat).send(ALERT, sending());
    expect(sent().chat_id).toBe(id);
  });

  it('is of the Bot API unless told otherwise', () => {
    const real = closing(new Telegram({ type: 'telegram', name: 'phone', token: TOKEN, chat: '1' }));
    expect(real.name).toBe('phone');
  });
});

describe('the text for Telegram', () => {
  const SUFFIX = '\n2025-02-03 02:04:00 UTC';
  const of = (message: string) => textOf({ ...ALERT, message });

  it.each([
    ['a\nb\r\n\tc', 'a b c'],
    ['\u001b[31mred\u0007', '\u{fffd}[31mred\u{fffd}'],
    ['left\u202eright', 'left\u{fffd}right'],
    ['half \ud83d', 'half \u{fffd}'],
    ['whole \u{1f4c8}', 'whole \u{1f4c8}'],
    ['<b>&amp; *not* _marked_', '<b>&amp; *not* _marked_'],
  ])('of %j is %j', (message, text) => {
    expect(of(message)).toBe(text + SUFFIX);
  });

  it('is cut at 4,096, with its time', () => {
    expect(of('x'.repeat(5_000))).toBe(`${'x'.repeat(TEXT_LENGTH - SUFFIX.length - 1)}…${SUFFIX}`);
    const pairs = of('\u{1f4c8}'.repeat(3_000));
    expect(pairs.length).toBeLessThanOrEqual(TEXT_LENGTH);
    expect(pairs.isWellFormed()).toBe(true);
  });

  it('is well-formed, visible and of that length at most, whatever the message', () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.constantFrom('', 'x'.repeat(TEXT_LENGTH - 28)), anything, (start, given) => {
        const text = of(start + given);
        expect(text.length).toBeLessThanOrEqual(TEXT_LENGTH);
        expect(text.isWellFormed()).toBe(true);
        expect(text.endsWith(SUFFIX)).toBe(true);
        expect(text.slice(0, -SUFFIX.length)).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an answer of Telegram', () => {
  it.each(FINAL)('%i ends the delivery, in its words', async (status) => {
    const bodyless = status === 304;
    say(
      status,
      bodyless ? '' : { ok: false, error_code: status, description: 'Bad Request: chat not found' },
    );
    const { reason, retryable } = failure(await telegram().send(ALERT, sending()));
    expect(retryable).toBe(false);
    expect(reason).toMatch(/^HTTP \d+/);
    if (!bodyless) expect(reason).toMatch(/: Bad Request: chat not found$/);
  });

  it.each(PASSING)('%i is tried again', async (status) => {
    say(status, 'Bad Gateway');
    expect(await telegram().send(ALERT, sending())).toEqual({
      ok: false,
      reason: `HTTP ${status}`,
      retryable: true,
      retryAfterMs: null,
    });
  });

  it('429 says how long to wait', async () => {
    const description = 'Too Many Requests: retry after 35';
    say(429, { ok: false, error_code: 429, description, parameters: { retry_after: 35 } });
    expect(await telegram().send(ALERT, sending())).toEqual({
      ok: false,
      reason: `HTTP 429: ${description}`,
      retryable: true,
      retryAfterMs: 35_000,
    });
  });

  it('429 may say it in the header, too: what its answer says counts', async () => {
    const body = JSON.stringify({ ok: false, parameters: { retry_after: 0 } });
    api.answer((response) => response.writeHead(429, { 'retry-after': '12' }).end(body));
    expect(failure(await telegram().send(ALERT, sending())).retryAfterMs).toBe(0);
  });

  it('429 may say so in the header alone', async () => {
    api.answer(429, { 'retry-after': '12' });
    expect(failure(await telegram().send(ALERT, sending())).retryAfterMs).toBe(12_000);
  });

  it.each([
    'null',
    '[]',
    '{"parameters":null}',
    '{"parameters":{"retry_after":"35"}}',
    '{"parameters":{"retry_after":-1}}',
    '{"description":{}}',
    '{',
    'x'.repeat(100_000),
  ])('that says nothing of use is judged by its status: %.40s', async (body) => {
    say(429, body);
    expect(failure(await telegram().send(ALERT, sending()))).toEqual({
      ok: false,
      reason: 'HTTP 429',
      retryable: true,
      retryAfterMs: null,
    });
  });

  it('is shown cleaned and cut', async () => {
    say(400, { description: `\u001b]0;title\u0007${'x'.repeat(500)}` });
    const { reason } = failure(await telegram().send(ALERT, sending()));
    expect(reason).toMatch(/^HTTP 400: \ufffd\]0;title\ufffdx+…$/);
    expect(reason.length).toBeLessThan(200);
  });

  it('that does not come in time is no answer', async () => {
    api.answer(() => {});
    const abort = new AbortController();
    const running = telegram().send(ALERT, sending(abort.signal));
    await api.request(1);
    abort.abort();
    expect(failure(await running)).toMatchObject({ reason: 'no answer within 10 s', retryable: true });
  });
});

describe('the token', () => {
  it('is in nothing that can be printed, and in no reason, also when a server sends it back', async () => {
    const target = telegram();
    const texts = [inspect(target, { depth: 9, showHidden: true }), JSON.stringify(target), String(target)];
    for (const echo of [TOKEN, HALF, encodeURIComponent(TOKEN), `POST /bot${TOKEN}/sendMessage`]) {
      say(404, { ok: false, description: `not found: ${echo}` });
      texts.push(JSON.stringify(await target.send(ALERT, sending())));
      api.answer(302, { location: `${api.url}/bot${TOKEN}/sendMessage` });
      texts.push(JSON.stringify(await target.send(ALERT, sending())));
    }
    api.answer((response) => response.destroy());
    texts.push(JSON.stringify(await target.send(ALERT, sending())));
    await target.close();
    texts.push(JSON.stringify(await target.send(ALERT, sending())));
    for (const text of texts) expect(text).not.toContain(HALF);
  });
});
