import { describe, expect, it } from 'vitest';
import { LEVELS, openBots } from './bots-rig.ts';

it('tries', async () => {
  const r = await openBots(['100', '100', '89', '100']);
  await r.minutes(1);
  const { id, runId } = await r.started();
  console.log(await r.bot(id));
  await r.minutes(1);
  console.log(await r.open(), JSON.stringify(await r.orders()));
  await r.minutes(2);
  console.log(await r.open(), await r.bot(id), await r.balance('USDT'), await r.balance('BTC'));
  console.log(await r.done('DELETE', `/bots/${id}/runs/${runId}?force=true`));
  console.log(await r.open(), await r.bot(id), await r.balance('USDT'), await r.balance('BTC'));
});
