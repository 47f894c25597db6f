/** The kinds of exchanges that are built in, apart from the paper exchange, which needs no connection. */
import { binanceKind } from './binance/kind.ts';
import { bybitKind } from './bybit/kind.ts';
import { NetOfNode } from './kit/net-of-node.ts';
import { okxKind } from './okx/kind.ts';
import type { VenueKind } from './venue-kind.ts';

/** Makes the list. `env`: environment variables, which may name a proxy for the network. */
export function venueKinds(env: Readonly<Record<string, string | undefined>>): readonly VenueKind[] {
  const net = () => new NetOfNode({ env });
  return [binanceKind(net()), bybitKind(net()), okxKind(net())];
}
