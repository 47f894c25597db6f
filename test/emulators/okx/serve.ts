/**
 * `npm run emulator -- --venue okx`: the emulator of OKX behind real sockets; paths distinguish the
 * endpoints. Options: kit/serve.ts.
 */

import { serve } from '../kit/serve.ts';
import { OkxEmulator } from './emulator.ts';
import type { EmulatorSettings } from './settings.ts';

serve<EmulatorSettings>({
  make: (o) => new OkxEmulator(o),
  config: (http, ws) => `[exchanges.okx]
venue = "okx"
markets = ["spot", "swap"]
environment = "live"
[exchanges.okx.endpoints]
rest = "${http}"
public-stream = "${ws}/ws/v5/public"
private-stream = "${ws}/ws/v5/private"
business-stream = "${ws}/ws/v5/business"
`,
  control: (emulator, name, said) => {
    if (!(emulator instanceof OkxEmulator)) return null;
    if (name === 'maintain') {
      emulator.maintain(said.state as 'ongoing' | 'completed');
      return {};
    }
    return name === 'oddities' ? emulator.oddities : null;
  },
});
