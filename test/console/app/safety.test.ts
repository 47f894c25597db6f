/** Nothing is placed, cancelled, revoked or started except by `y` in a confirmation that was visible. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_C, CTRL_R, ENTER, ESC, openRig, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const KEYS = [
  ...'nxsXaoO/:?!1265 9vmeMcgGjkhldpPfcuv.',
  '0.5',
  '60500',
  '61000..62000 5',
  'bot',
  'cancel 4',
  ENTER,
  ENTER,
  ENTER,
  '\t',
  '\x1b[Z',
  '\x1b[A',
  '\x1b[B',
  '\x1b[C',
  '\x1b[D',
  '\x04',
  '\x15',
  CTRL_R,
  CTRL_R,
  ESC,
];

/** Calls that only `y` may cause; the feed's own keys are left out. */
const forbidden = (desk: FakeDesk) => desk.acting.filter((method) => method !== 'feed.control');

async function ticket(screen: Rig): Promise<void> {
  await screen.press('2', 'n', '\t', '\t', '\t', '0.5', '\t', '60500');
  await screen.shows('30,250');
}

describe('without y', () => {
  it('no keys on any screen or dialog change anything', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...KEYS), { minLength: 10, maxLength: 40 }), async (keys) => {
        const desk = new FakeDesk(deskState({ futures: somePositions() }));
        const screen = await openRig(desk);
        try {
          for (const key of keys) {
            if (screen.exit()) break;
            await screen.press(key);
          }
          expect(forbidden(desk)).toEqual([]);
          expect(screen.exit()?.action).not.toBe('stop');
        } finally {
          await screen.close();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('Enter alone, anywhere, not even the feed', { timeout: 60_000 }, async () => {
    for (const way of [
      ['2', 'n'],
      ['2', 'x'],
      ['2', 'j', 's'],
      ['2', 'X'],
      ['5', 'x'],
      ['5', 'c', '62000'],
      ['5', 's', '58000'],
      ['5', 'v', '5'],
      ['5', 'm'],
      ['5', 'e'],
      ['5', 'M'],
      ['5', 'n'],
      ['6', 'n'],
      ['6', 'p'],
      ['6', 'x'],
      [':', 'maintenance', ENTER],
      [':', 'maintenance', ENTER, 'x', CTRL_R],
      [':'],
      ['q'],
      ['1'],
    ]) {
      const desk = new FakeDesk(deskState({ futures: somePositions() }));
      const screen = await openRig(desk);
      await screen.press(...way);
      for (let times = 0; times < 6; times++) await screen.press(ENTER);
      expect(desk.acting, way.join(' ')).toEqual([]);
      expect(screen.exit()).toBeNull();
      await screen.close();
    }
  });

  it('the palette does not play the feed', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press(':', 'play', ENTER);
    expect(screen.screenText()).toContain('press p to play or pause');
    expect(desk.acting).toEqual([]);
    await screen.press('p');
    expect(desk.acting).toEqual(['feed.control']);
  });
});

describe('a confirmation', () => {
  it('is deaf for 300 ms', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'j', 'x');
    screen.time.now += 299;
    await screen.send('y');
    expect(desk.acting).toEqual([]);
    screen.time.now += 1;
    await screen.send('y');
    await screen.shows('BTCUSDT CANCELLED');
    expect(desk.acting).toEqual(['orders.cancel']);
  });

  it('does not hear several characters of one event, nor a paste', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'j', 'xy', 'yy', 'y\r', '\x1b[200~y\x1b[201~');
    expect(desk.acting).toEqual([]);
    expect(screen.screenText()).toContain('Cancel order');
  });

  it('sends once, however often y is pressed', async () => {
    let answer: (value: ReturnType<typeof ok<ReturnType<typeof order>>>) => void = () => {};
    const desk = new FakeDesk(undefined, {
      'orders.cancel': () => new Promise((resolve) => (answer = resolve as typeof answer)),
    });
    const screen = await open(desk);
    await screen.press('2', 'j', 'x', 'y', 'y', 'y');
    expect(desk.acting).toEqual(['orders.cancel']);
    answer(ok(order('oc-7f3k2m9q1a2b', { status: 'CANCELLED' })));
    await screen.shows('BTCUSDT CANCELLED');
  });

  it('says account, PAPER, symbol, side, size, notional, distance, fee and what happens next', async () => {
    const screen = await open(new FakeDesk());
    await ticket(screen);
    await screen.press(CTRL_R);
    const text = screen.screenText();
    for (const part of [
      'PAPER',
      'paper-spot',
      'BUY 0.5',
      'XRPUSDT',
      '30,250',
      '-1.20 %',
      '30.25 USDT',
      'It rests on the book',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/ Go back .*y place this order/);
  });
});

describe('the ticket', () => {
  it('places with review and y, and tells the result', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await ticket(screen);
    await screen.press(CTRL_R, 'y');
    await screen.shows('XRPUSDT: OPENED');
    expect(desk.calls.findLast(({ method }) => method === 'orders.place')?.params).toEqual({
      exchange: 'paper-spot',
      symbol: 'XRPUSDT',
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.5',
      price: '60500',
    });
    expect(screen.screenText()).not.toContain('Review');
  });

  it('keeps what was written when it is refused, with the reason', async () => {
    const desk = new FakeDesk(undefined, {
      'orders.place': () => refuse('VALIDATION_ERROR', 'price must be a multiple of 0.01', 'PRICE_TICK'),
    });
    const screen = await open(desk);
    await ticket(screen);
    await screen.press(CTRL_R, 'y');
    await screen.shows('PRICE_TICK');
    expect(screen.screenText()).toContain('60500');
    expect(screen.screenText()).toContain('Review');
  });

  it('stays usable while a check is slow, and shows only the answer to what is written', async () => {
    const waiting: (() => void)[] = [];
    const desk = new FakeDesk(undefined, {
      'orders.check': (draft) =>
        new Promise((resolve) =>
          waiting.push(() =>
            resolve({
              problems: [],
              mark: null,
              last: '1',
              notional: draft.quantity ?? '0',
              fee: '1',
              feeAsset: 'USDT',
              distance: '0',
              available: '5',
              availableAsset: 'USDT',
              margin: null,
              after: null,
              next: `for ${draft.quantity ?? 'nothing'}`,
            }),
          ),
        ),
    });
    const screen = await open(desk);
    await screen.press('2', 'n');
    await screen.until(() => waiting.length === 1);
    await screen.press('\t', '\t', '\t', '7');
    await screen.until(() => waiting.length === 2);
    waiting[1]?.();
    await screen.shows('for 7');
    waiting[0]?.();
    await screen.settle();
    expect(screen.screenText()).toContain('for 7');
  });

  it('survives a desk that fails internally', async () => {
    const desk = new FakeDesk(undefined, {
      'orders.place': () => Promise.reject(new Error('out of memory')),
    });
    const screen = await open(desk);
    await ticket(screen);
    await screen.press(CTRL_R, 'y');
    await screen.shows('orders.place: out of memory');
    expect(screen.screenText()).toContain('60500');
  });
});

describe('irreversible and bulk', () => {
  it('cancel all asks for the word, and the word typed too far is not it', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'X', 'y', '\x15', ...'cancel ', '5', 'y');
    expect(desk.acting).toEqual([]);
    await screen.press('\x15', ...'cancel 4');
    expect(screen.screenText()).toContain('y cancel 4 orders');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.shows('4 orders: cancelled');
    expect(desk.acting).toEqual(['orders.cancelAll']);
  });

  it('cancel all touches only what the filter shows', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', '/', 'sell', ENTER, 'X', ...'cancel 2', 'y');
    await screen.shows('2 orders');
    expect(desk.calls.findLast(({ method }) => method === 'orders.cancelAll')?.params).toEqual({
      ids: ['oc-7f3k2m9q1a2c', 'oc-7f3k2m9q1a2d'],
    });
  });

  it('revoking asks for the label and says how many sockets were closed', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('6', 'x', ...'dashboard', 'y');
    await screen.shows('revoked dashboard; 1 socket closed');
  });
});

describe('the way out', () => {
  it('asks what becomes of the desk when hosting', async () => {
    const screen = await open(new FakeDesk());
    await screen.press('q', ENTER);
    expect(screen.exit()).toBeNull();
    await screen.press('q', 's');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'stop' });
  });

  it('ctrl-c asks, a second one detaches', async () => {
    const screen = await open(new FakeDesk());
    await screen.press('2', 'n', '12', CTRL_C);
    expect(screen.screenText()).toContain('detach: this terminal leaves');
    await screen.press(CTRL_C);
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'detach' });
  });
});

describe('keys', () => {
  it('generates after a look, and shows the path and the example', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk, { columns: 100, rows: 40 });
    await screen.press('6', 'n', 'laptop', '\t', '\x1b[C', CTRL_R, 'y');
    await screen.shows('keys/laptop.pem');
    expect(screen.screenText()).toContain('outcry ping --key');
    expect(desk.calls.findLast(({ method }) => method === 'keys.generate')?.params).toEqual({
      label: 'laptop',
      tier: 'trade',
      ipList: null,
      allowedExchanges: null,
    });
  });

  it('takes a pasted PEM whole', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    const pem =
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n';
    await screen.press('6', 'p', 'ci', '\t', '\t', `\x1b[200~${pem}\x1b[201~`, CTRL_R, 'y');
    await screen.shows('registered ci');
    expect(desk.calls.findLast(({ method }) => method === 'keys.register')?.params).toEqual({
      label: 'ci',
      tier: 'read',
      ipList: null,
      allowedExchanges: null,
      publicKey: pem,
    });
  });

  it('tells a refusal in plain words and keeps the form', async () => {
    const desk = new FakeDesk(undefined, {
      'keys.register': () => refuse('SERVICE_UNAVAILABLE', 'the change could not be stored; try again'),
    });
    const screen = await open(desk);
    await screen.press(
      '6',
      'p',
      'ci',
      '\t',
      '\t',
      '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      CTRL_R,
      'y',
    );
    await screen.shows('refused: the change could not be stored');
    expect(screen.screenText()).toContain('Register a public key');
  });
});
