/**
 * `npm run emulator -- --venue binance`: the emulator of Binance behind real sockets; paths distinguish spot
 * and futures. Options: kit/serve.ts.
 */
import { serve } from '../kit/serve.ts';
import { BinanceEmulator } from './emulator.ts';
import type { EmulatorSettings } from './settings.ts';

serve<EmulatorSettings>({
  make: (o) => new BinanceEmulator(o),
  config: (http, ws) => `[exchanges.binance]
venue = "binance"
markets = ["spot", "futures"]
environment = "live"
[exchanges.binance.endpoints]
spot-rest = "${http}"
spot-api = "${ws}/ws-api/v3"
spot-stream = "${ws}"
futures-rest = "${http}"
futures-public = "${ws}/public"
futures-market = "${ws}/market"
futures-private = "${ws}/private"
`,
});
