/**
 * strategies.md 2, "A run": the rules that every type shares; the backtest; the specification's rules for
 * running bots.
 */
import { type Item, prefixed, section } from '../item.ts';

export const RUN_ITEMS: readonly Item[] = [
  ...section(
    'A run',
    prefixed('bot run', {
      'all-problems': '(1) A start fails with all problems, path: reason, joined by semicolons.',
      'keeps-status': '(1) The bot keeps its status.',
      suffix: '(2) Order ids end with _{runId}.',
      metadata: '(2) Creator BOT, creatorId, and metadata with the level that placed the order.',
      stored: '(2) State is stored in the same transaction as the intent to place or cancel.',
      recovery: '(2) After a crash the run goes on; missing fills are applied, nothing doubled or orphaned.',
      'recovery-unknown': '(2) Orders of the run that the state does not know are cancelled.',
      'entry-retry': '(3) A rejected entry is tried again 1, 5 and 30 s later, then the run is in ERROR.',
      'entry-final': '(3) A rejection that cannot heal ends it at once, with the exchange’s words.',
      'error-position':
        '(3) A run that holds something gives up the refused entry alone: its exits and stops stay.',
      'exit-retry': '(3) A rejected exit is tried for ever, each failure a notice of level 1.',
      'end-cancels': '(4) A run that ends by itself cancels all its orders.',
      leaveAllOrders: '(4) Leaves everything at the venue.',
      cancelBuyOrders: '(4) Cancels entries.',
      cancelAllOrders: '(4) Cancels both; the default.',
      stop_and_sell: '(4) Sells the position at MARKET.',
      'stop_and_sell-short': '(4) Buys it back when short.',
      force: '(4) Ends a run that waits for the venue at once; the clean-up goes on behind it.',
      'error-restart': '(5) A bot in ERROR may be patched, restarted and deleted.',
      'label stopped': 'A run that ended otherwise than completed or expired shows stopped.',
      'label paused': 'Filters that do not pass show as paused while nothing is held.',
    }),
  ),
  ...section(
    'Figures of a run',
    prefixed('bot stats', {
      realised: '(6) Proceeds less fee, minus the sold share of the lot’s cost.',
      'base-fees': '(6) Base fees are in the cost, dust keeps its cost.',
      unrealised: '(6) Of what is held at the last price.',
      fees: '(6) All fees, in quote.',
      cycles: '(6) Cycles and winning cycles.',
      volume: '(6) Quote traded.',
      drawdown: '(6) Maximum drawdown of equity in percent.',
      roi: '(6) (realised + unrealised) / budget x 100.',
      annualised: '(6) ROI x 365 days / run time, only after 24 h.',
      shown: '(6) In the stats object of the bot.',
    }),
  ),
  ...section(
    'Options',
    prefixed('bot options', {
      restart: 'A run that ended by itself is started anew after restartDelay.',
      'restart-default': 'restartDelay is 1000 ms unless given.',
      'restart-not': 'Not after the operator’s stop or an ERROR.',
      'restart-most': 'At most 10 an hour, then stopped with a notice.',
      'restart CHANNEL': 'Of a CHANNEL.',
      'restart SQUEEZE': 'Of a SQUEEZE.',
      'reuse GRID': 'Each time a cell re-buys, its share of deposit and realised PnL.',
      'reuse LEVELS': 'As GRID.',
      'reuse SCALE': 'The next cycle’s deposit is the deposit plus the realised PnL.',
      'reuse SQUEEZE': 'As SCALE.',
      'reuse loss': 'Losses included.',
      elsewhere: 'They exist for CHANNEL and SQUEEZE only.',
    }),
  ),
  ...section('Decisions about bots', {
    'bot decided rejected-words': 'S2, S3: the run ends with the exchange’s words.',
    'bot decided restart-patch': 'S41: restart with failing validation saves, answers 400 and stays stopped.',
    'bot decided update-rate': 'S42: BOT_UPDATE of figures at most once a second.',
    'bot decided delete-keeps': 'S42: delete removes bot and runs; orders and fills stay.',
    'bot decided reservations': 'S25: what bots reserve is not for manual orders.',
    'bot decided tag': 'S42: tag over 50, metadata not a string: 400.',
    'bot decided size': 'S43: orders.*.size is a number of orders.',
    'bot decided targets': 'S48: targets by name only, checked against the configuration.',
    'bot decided batch': 'S8: items run in order, each with its own result; bots-per-batch 20.',
  }),
  ...section(
    'Backtest and preview',
    prefixed('bot backtest', {
      same: 'The same code as live: the same trades as on the desk.',
      deterministic: 'The same bytes for the same input.',
      skimming: 'Playing many candles at once changes nothing.',
      figures: 'Result, equity curve and trades.',
      ends: 'It ends with the bot; restarts are played.',
      alerts: 'ALARM and NOTIFY give alerts.',
      candles: 'Candles are read exactly, and added up to larger frames.',
      command: 'The command line: table, JSON, CSV, SVG.',
      preview: 'The preview is the backtest of the last candles.',
    }),
  ),
];
