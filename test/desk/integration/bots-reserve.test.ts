/** What a run reserves is counted once, however often the desk is loaded from its store. */
import { expect, it } from 'vitest';
import type { Row } from '../../../src/domain/rows.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import { LEVELS, openBots } from './bots-rig.ts';

const FUTURES = 'paper-futures';

// proves: bot deposit reserve
it('a run that waits for its leverage when a commit fails reserves its deposit once', async () => {
  let left = 0;
  const openStore = (file: string) => {
    let rows: readonly Row[] = [];
    const store = openSqliteStore(file, {
      beforeCommit: () => {
        const ofRun = rows.some(({ kind }) => kind === 'run');
        if (!ofRun || left === 0 || --left > 0) return;
        throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
      },
    });
    const commit = store.commit.bind(store);
    store.commit = (given) => {
      rows = given;
      commit(given);
    };
    return store;
  };
  const r = await openBots(['100'], { ports: { openStore } });
  await r.minutes(1);
  const deposit = { value: '1000', asset: 'USDT', leverage: 3 };
  const bot = await r.make({ ...LEVELS, settings: { ...LEVELS.settings, exchange: FUTURES, deposit } });
  // The start is stored; what follows the exchange's word about the leverage is not.
  left = 2;
  await r.done('POST', `/bots/${bot.id}/runs`);
  await r.minutes(2);
  expect(left).toBe(0);
  expect((await r.bot(bot.id)).status).toBe('STARTED');
  const { balances } = await r.done('GET', `/portfolio?exchange=${FUTURES}&full=true`);
  expect(balances.find(({ asset }: { asset: string }) => asset === 'USDT').lockedByBot).toBe('1000');
});
