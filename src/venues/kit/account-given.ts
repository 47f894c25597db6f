/** Everything that an account of a real exchange is made with. */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Environment } from '../../domain/connection.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import type { Secrets } from '../venue-kind.ts';
import type { LaneClient } from './addresses.ts';
import type { Net } from './net.ts';

export interface AccountGiven {
  readonly account: ExchangeAccount;
  readonly environment: Environment;
  /** By the endpoint's name. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly net: Net;
  /** The account's access to the lanes of its REST address. */
  readonly way: LaneClient;
  /** Reports something an owner should know: one line, rarely. */
  readonly report: (text: string) => void;
}
