/** The kinds of exchanges that are built in, beside the paper exchange, which needs no connection. */
import { binanceKind } from './binance/kind.ts';
import { bybitKind } from './bybit/kind.ts';
import { NetOfNode } from './kit/net-of-node.ts';
import { okxKind } from './okx/kind.ts';
import type { VenueKind } from './venue-kind.ts';

/** `env`: names the proxy of the network, if there is one. */
export function venueKinds(env: Readonly<Record<string, string | undefined>>): readonly VenueKind[] {
  const net = () => new NetOfNode({ env });
  return [binanceKind(net()), bybitKind(net()), okxKind(net())];
}
