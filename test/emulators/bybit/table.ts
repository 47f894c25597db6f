/**
 * The endpoints as the README shows them: method and path, the key's permission, parameters, rate, source.
 */
import type { Endpoint } from './wire.ts';

export function endpointTable(endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map(({ method, path, security, right = 'read', parameters, perSecond, source }) => {
    const names =
      parameters === ''
        ? ''
        : parameters
            .split(' ')
            .map((name) => `\`${name}\``)
            .join(' ');
    const needed = typeof right === 'string' ? right : `${right.spot}, ${right.linear}`;
    const rate =
      perSecond === undefined
        ? 'address'
        : typeof perSecond === 'number'
          ? `${perSecond}/s`
          : `spot ${perSecond.spot}/s, linear ${perSecond.linear}/s`;
    return `| ${method} ${path} | ${security === 'none' ? '' : needed} | ${names} | ${rate} | ${source} |`;
  });
  return [
    '| endpoint | right | parameters (`!` needed, `:i` whole number, `:b` boolean, `:[]` texts) | rate | source (docs/v5/) |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
