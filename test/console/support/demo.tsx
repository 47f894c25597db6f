/**
 * The console on a real terminal against the fake desk, to be looked at by a person:
 * `npx esbuild test/console/support/demo.tsx --bundle --platform=node --format=esm --packages=external
 * --outfile=node_modules/.cache/demo.mjs && node node_modules/.cache/demo.mjs [--replay] [--held] [--theme NAME] [--ascii]`.
 */
import { fileURLToPath } from 'node:url';
import { runConsole } from '../../../src/console/app/run.tsx';
import { FakeDesk } from './fake-desk.ts';
import { deskState } from './some-desk.ts';

const args = process.argv.slice(2);
const base = deskState();
const started = Date.now();
const orders = Object.fromEntries(
  Object.entries(base.orders).map(([id, entry]) => [
    id,
    entry.unresolved
      ? {
          ...entry,
          unresolved: { ...entry.unresolved, settlesAt: started + 90_000, nextAskAt: started + 5_000 },
        }
      : entry,
  ]),
);
const clock = args.includes('--replay')
  ? { ...base.clock, wall: started, market: Date.UTC(2025, 1, 3, 2, 8), live: false, feed: 'csv', speed: 600 }
  : { ...base.clock, wall: started, market: started };
const desk = new FakeDesk({ ...base, clock: { ...clock, held: args.includes('--held') }, orders });

const timer = setInterval(() => {
  if (desk.state.clock.held) return;
  const symbols = Object.keys(desk.state.prices);
  const symbol = symbols[Math.floor(Math.random() * symbols.length)] ?? 'BTCUSDT';
  const price = desk.state.prices[symbol];
  if (!price) return;
  const places = (price.last.split('.')[1] ?? '').length;
  const last = (Number(price.last) * (1 + (Math.random() - 0.5) / 500)).toFixed(places);
  desk.push({
    prices: {
      [symbol]: {
        ...price,
        last,
        spark: [...price.spark.slice(1), (price.spark.at(-1) ?? 100) + (Math.random() - 0.5) * 2],
      },
    },
    clock: { ...desk.state.clock, wall: Date.now() },
  });
}, 100);

const theme = args.includes('--theme') ? args[args.indexOf('--theme') + 1] : undefined;
const exit = await runConsole(desk, {
  theme,
  hosting: !args.includes('--attached'),
  dataDir: '/tmp/outcry-demo',
  themesDir: fileURLToPath(new URL('../../themes', import.meta.url)),
  stdin: process.stdin,
  stdout: process.stdout,
  ascii: args.includes('--ascii'),
  env: process.env,
});
clearInterval(timer);
process.stdout.write(`${JSON.stringify(exit)}\n`);
process.exit(0);
