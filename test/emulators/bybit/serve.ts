/** `npm run emulator -- --venue bybit`: the emulator of Bybit behind real sockets. Options: kit/serve.ts. */
import { serve } from '../kit/serve.ts';
import { BybitEmulator } from './emulator.ts';
import type { EmulatorSettings } from './settings.ts';

serve<EmulatorSettings>({
  make: (o) => new BybitEmulator(o),
  config: (http, ws) => `[exchanges.bybit]
venue = "bybit"
markets = ["spot", "futures"]
environment = "live"
[exchanges.bybit.endpoints]
rest = "${http}"
spot-stream = "${ws}/v5/public/spot"
linear-stream = "${ws}/v5/public/linear"
private-stream = "${ws}/v5/private"
`,
  control: (emulator, name, said) => {
    const bybit = emulator as BybitEmulator;
    if (name === 'reject') bybit.rejectNext(said.reason ?? 'EC_Others', Number(said.count ?? '1'));
    else if (name === 'match') bybit.matchMs = Number(said.ms);
    else if (name === 'lag') bybit.lagMs = Number(said.ms);
    else if (name === 'maintenance') bybit.maintenance = said.on === 'true';
    else return null;
    return {};
  },
});
