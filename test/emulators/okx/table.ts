/** The endpoints and channels as the README shows them. */
import { CHANNELS } from './channels.ts';
import type { Endpoint } from './wire.ts';

const RULES: Readonly<Record<Endpoint['rule'], string>> = {
  ip: 'address',
  'ip+type': 'address and instrument type',
  'ip+inst': 'address and instrument',
  user: 'user',
  'user+inst': 'user and instrument',
  'user+tag': 'user and tag',
};

export function endpointTable(endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map(({ method, path, permission, parameters, limit, rule, source }) => {
    const names = parameters
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => `\`${name}\``)
      .join(' ');
    const [count, withinMs] = limit;
    return `| ${method} ${path.replace('/api/v5', '')} | ${permission} | ${names} | ${count} / ${withinMs / 1000} s, ${RULES[rule]} | ${source} |`;
  });
  return [
    '| endpoint (`/api/v5`...) | permission | parameters (`!` needed, `?` boolean, `[` list) | limit | source |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

export function channelTable(): string {
  const rows = [...CHANNELS]
    .filter(([name]) => !name.startsWith('candle') || name === 'candle1m')
    .map(
      ([name, { address, isPrivate, needs }]) =>
        `| ${name === 'candle1m' ? 'candle1s .. candle1Wutc' : name} | /ws/v5/${address} | ${isPrivate ? 'login' : ''} | ${needs === 'nothing' ? '' : `\`${needs}\``} |`,
    );
  return ['| channel | address | | needs |', '|---|---|---|---|', ...rows].join('\n');
}
