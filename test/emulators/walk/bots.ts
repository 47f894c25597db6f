/** Bots of a walk on one account: a grid around the price of BTC and a catcher of small drops of ETH. */
import type { Client } from '../../../src/client/client.ts';

const MINUTE_MS = 60_000;

/** Starts the bots and returns their ids. `price`: that of BTC there, with so many decimals. */
export async function startBots(
  client: Client,
  { exchange, price, places }: { exchange: string; price: number; places: number },
): Promise<string[]> {
  const common = { exchange, onetime: false, deposit: { value: '2000', asset: 'USDT' } };
  const share = (name: string, depositePercent = '20') => ({ name, depositePercent });
  const fibo = {
    ...common,
    symbol: { base: 'BTC', quote: 'USDT' },
    channels: [
      { ...share('0'), fiboPrice: (price * 0.996).toFixed(places) },
      ...['0.236', '0.382', '0.500', '0.618'].map((name) => share(name)),
      { ...share('1', '0'), fiboPrice: (price * 1.001).toFixed(places) },
    ],
  };
  const squeeze = {
    ...common,
    symbol: { base: 'ETH', quote: 'USDT' },
    timeFrame: MINUTE_MS,
    price: { percent: { buy: '0.1', sell: '0.1' } },
  };
  const ids: string[] = [];
  for (const [type, settings] of [
    ['FIBO', fibo],
    ['SQUEEZE', squeeze],
  ] as const) {
    const bot = await client.bots.create({ type, settings });
    await client.bots.start(bot.id);
    ids.push(bot.id);
  }
  return ids;
}

/** Stops a bot, which sells its position. */
export async function stopBot(client: Client, id: string): Promise<void> {
  const { runId } = await client.bots.get(id);
  if (runId) await client.bots.stop({ id, runId, action: 'stop_and_sell', force: true });
}

export async function botLines(client: Client): Promise<string[]> {
  const bots = await client.bots.list();
  return bots.map(({ type, settings, status, stats }) => {
    return `${type} on ${settings.exchange}: ${status}, ${JSON.stringify(stats)}`;
  });
}
