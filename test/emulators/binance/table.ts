/** The endpoints as the README shows them: method and path, needed permission, parameters, weight, source. */
import { Params } from './params.ts';
import type { Endpoint, Kind } from './wire.ts';

const SOME_SYMBOL = [['symbol', 'BTCUSDT']] as const;

export function endpointTable(endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map((endpoint) => {
    const { method, path, security, parameters, source } = endpoint;
    const names =
      parameters === ''
        ? ''
        : parameters
            .split(' ')
            .map((name) => `\`${name}\``)
            .join(' ');
    return `| ${method} ${path} | ${security} | ${names} | ${weightOf(endpoint)} | ${source} |`;
  });
  return [
    '| endpoint | security | parameters (`!` needed, `*` repeated) | weight | source |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function weightOf(endpoint: Endpoint): string {
  const kind: Kind = endpoint.path.startsWith('/fapi') ? 'futures' : 'spot';
  const all = endpoint.weight(new Params(kind));
  const one = endpoint.weight(new Params(kind, SOME_SYMBOL));
  const orders = endpoint.orders ? `, ${endpoint.orders} order` : '';
  const success =
    endpoint.weightOfSuccess === undefined ? '' : `, ${endpoint.weightOfSuccess} when it succeeds`;
  return `${all === one ? one : `${one} with a symbol, ${all} without`}${success}${orders}`;
}
