/** The doctor's checks of the folder's desk and of the port of its API. */
import { networkInterfaces } from 'node:os';
import { span } from '../../console/ui/format.ts';
import { DEFAULT_HOST, DEFAULT_PORT } from '../../desk/options.ts';
import { type Case, type Check, fail, fine, halves, warn } from './finding.ts';

export const checkDesk: Check = ({ desk, dataDir }) => {
  if (desk.problem !== null) {
    const [text, remedy] = halves(desk.problem, 'stop the desk that runs there, and start it anew');
    return [fail('desk', text, remedy)];
  }
  if (!desk.runs)
    return desk.pid === null
      ? [fine('desk', `none runs on ${dataDir}`)]
      : [
          fail(
            'desk',
            `process ${desk.pid} has the folder and does not answer at its socket`,
            `look at it, and end it with kill ${desk.pid} if it is no desk that starts or stops`,
          ),
        ];
  if (desk.locked)
    return [
      warn(
        'desk',
        'it runs; its terminals are locked by a PIN, so that its accounts were not looked at',
        'unlock the console, and look again',
      ),
    ];
  const { state } = desk;
  if (!state) return [warn('desk', 'it runs, and did not tell its state', 'look at its log')];
  const { version, startedAt } = state.desk;
  const up = span(state.clock.wall - startedAt);
  const process = desk.pid === null ? '' : `, process ${desk.pid}`;
  if (state.maintenance !== null)
    return [warn('desk', `its API answers 503: ${state.maintenance}`, 'end the maintenance at the console')];
  return [fine('desk', `Outcry ${version} up ${up}${process}`)];
};

export const checkPort: Check = async (one) => {
  const { world, desk } = one;
  const { host, port } = addressOf(one);
  if (port === 0) return [fine('port', 'any free one, at every start')];
  if (!isOurs(host))
    return [
      fail('port', `${host} is no address of this machine`, 'set [api] host to one that is, or leave it out'),
    ];
  const answers = await world.answers(reachable(host), port);
  if (desk.runs)
    return answers
      ? [fine('port', `${host}:${port}, held by this desk`)]
      : [fail('port', `nothing answers at ${host}:${port}, where the API of the desk is`, 'look at its log')];
  if (!answers) return [fine('port', `${host}:${port} is free`)];
  const holder = await world.holder(port);
  const who = holder ? `process ${holder.pid} (${holder.name})` : 'a process that is not yours';
  return [
    fail(
      'port',
      `${host}:${port} is held by ${who}`,
      'stop that one, or give this desk another: --port, or [api] port in config.toml',
    ),
  ];
};

/** Returns the address of the running desk, else the one that the next desk would use. */
function addressOf({ desk, config }: Case): { readonly host: string; readonly port: number } {
  const url = desk.state?.desk.apiUrl;
  if (url !== undefined && URL.canParse(url)) {
    const { hostname, port, protocol } = new URL(url);
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    };
  }
  const options = 'options' in config ? config.options : {};
  return { host: options.host ?? DEFAULT_HOST, port: options.port ?? DEFAULT_PORT };
}

/** Returns an address that can be reached: this machine's own in place of "all addresses". */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function isOurs(host: string): boolean {
  if (
    host === 'localhost' ||
    host === '0.0.0.0' ||
    host === '::' ||
    host === '::1' ||
    host.startsWith('127.')
  )
    return true;
  // A name may resolve to any address.
  if (!/^[\d.]+$|:/.test(host)) return true;
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === host));
}
