/**
 * A kind of exchange that can be connected, as a test defines it: its accounts are fake venues that remember
 * who opened them with which keys.
 */
import type { AccountIdentity } from '../../../src/domain/account-identity.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import type { Permissions } from '../../../src/domain/permissions.ts';
import type { VenueSink } from '../../../src/venues/venue.ts';
import type { OpenGiven, VenueKind } from '../../../src/venues/venue-kind.ts';
import { FakeMarket } from '../../support/fake-market.ts';
import { FakeVenue } from '../../support/fake-venue.ts';

export const LIVE_HOST = 'https://api.acme.example';
export const TESTNET_HOST = 'https://testnet.acme.example';

/** One account at the exchange, whatever the number of lines to it. */
export interface AcmeAccount {
  /** `null`: the request fails; `key` as it was given. */
  identity: (key: string) => Promise<AccountIdentity | null>;
  permissions: () => Promise<Permissions | null>;
  /** Called when the venue is opened; `key` as it was given. */
  open: (key: string) => Promise<void>;
  fill: (venue: FakeVenue) => void;
}

export class AcmeVenue extends FakeVenue {
  readonly #o: OpenGiven;
  readonly #account: AcmeAccount;
  /** The keys as they were given at the opening. */
  keys: Buffer[] = [];
  closed = false;

  constructor(account: ExchangeAccount, o: OpenGiven, acme: AcmeAccount) {
    super({ id: account.id, kind: account.kind, ...(account.market ? { market: account.market } : {}) });
    Object.assign(this.account, account);
    this.#o = o;
    this.#account = acme;
    acme.fill(this);
  }

  override async open(sink: VenueSink): Promise<void> {
    const { secrets } = this.#o;
    this.keys = [secrets.get('apiKey'), secrets.get('secret')];
    await this.#account.open(String(this.keys[0]));
    await super.open(sink);
  }

  override async close(): Promise<void> {
    this.closed = true;
  }

  identity(): Promise<AccountIdentity | null> {
    return this.#account.identity(String(this.keys[0] ?? ''));
  }

  permissions(): Promise<Permissions | null> {
    return this.#account.permissions();
  }
}

const RIGHTS: Permissions = {
  trade: true,
  withdraw: false,
  transfer: false,
  addresses: ['192.0.2.1'],
  expiresAt: null,
};

export interface Acme {
  readonly kind: VenueKind;
  readonly account: AcmeAccount;
  /** Every line that was made, oldest first. */
  readonly lines: AcmeVenue[];
  readonly markets: FakeMarket[];
  /** The current line. */
  line(exchange: string): AcmeVenue;
}

export function acme(): Acme {
  const lines: AcmeVenue[] = [];
  const markets: FakeMarket[] = [];
  const account: AcmeAccount = {
    identity: async () => ({ id: '1234' }),
    permissions: async () => RIGHTS,
    open: async () => {},
    fill: () => {},
  };
  const kind: VenueKind = {
    name: 'acme',
    title: 'Acme',
    markets: ['spot', 'futures'],
    environments: { live: [['spot', 'futures']], testnet: [['spot']], demo: [['spot'], ['futures']] },
    endpoints: [
      {
        name: 'spot-rest',
        protocol: 'http',
        markets: ['spot'],
        addresses: { live: LIVE_HOST, testnet: TESTNET_HOST, demo: 'https://demo.acme.example' },
      },
      {
        name: 'futures-stream',
        protocol: 'ws',
        markets: ['futures'],
        addresses: { live: 'wss://stream.acme.example/ws', demo: 'wss://demo.acme.example/ws' },
      },
    ],
    credentials: [
      { name: 'apiKey', label: 'API key', help: 'Made under API Management.' },
      { name: 'secret', label: 'secret', help: 'Shown once, when the key is made.' },
    ],
    sharedWallet: false,
    open(given) {
      const made = given.accounts.map((one) => new AcmeVenue(one, given, account));
      lines.push(...made);
      return made;
    },
    marketData({ accounts, clock }) {
      const made = accounts.map(({ market }) => new FakeMarket(clock, { market: market ?? '' }));
      markets.push(...made);
      return made;
    },
  };
  return {
    kind,
    account,
    lines,
    markets,
    line(exchange) {
      const found = lines.findLast((one) => one.account.id === exchange);
      if (!found) throw new Error(`there is no line to ${exchange}`);
      return found;
    },
  };
}
