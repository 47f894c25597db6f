/** The doctor's checks of the data folder's content: store, configuration, orders that only it keeps. */
import { accessSync, constants } from 'node:fs';
import { readSecretBytes } from '../../access/secret-file.ts';
import { LATEST } from '../../store/sqlite/look.ts';
import { type Check, type Finding, fail, fine, halves, storeFile, warn } from './finding.ts';

export const checkStore: Check = ({ store, desk, dataDir }) => {
  if (store.state === 'none')
    return desk.runs
      ? [
          fail(
            'store',
            `${storeFile(dataDir)} is gone while a desk runs on it`,
            'stop the desk, and put it back',
          ),
        ]
      : [fine('store', 'there is none yet; the first start makes it')];
  if (store.state === 'problem') {
    const [text, remedy] = halves(store.text, 'look at the file, and at the disk');
    return [fail('store', text, remedy)];
  }
  const { version, why } = store;
  const format = `format ${version}${version < LATEST ? `, which the next start makes ${LATEST}, after a copy` : ''}`;
  if (why !== null)
    return [warn('store', `${format}; not read as a whole: ${why}`, 'look again when that is over')];
  return [fine('store', `sound, ${format}`)];
};

export const checkConfig: Check = ({ config }) => {
  if ('problem' in config) {
    const [text, remedy] = halves(config.problem, 'put it right: a desk does not start with it');
    return [fail('config', text, remedy)];
  }
  const { options, warnings } = config;
  const findings: Finding[] = warnings.map((text) => {
    const [what, remedy] = halves(text, 'put it right, or take it out');
    return warn('config', what, remedy);
  });
  for (const file of [options.tlsCert, options.tlsKey])
    if (file !== undefined && !isReadable(file))
      findings.push(
        fail('config', `${file} cannot be read`, 'put the file of the certificate or its key there'),
      );
  const passphrase = passphraseProblem(options.vaultPassphraseFile);
  if (passphrase !== null)
    findings.push(
      fail('config', `vault.passphrase_file: ${passphrase}`, 'the vault stays locked until it is right'),
    );
  const targets = options.targets?.length ?? 0;
  const connections = options.connections?.length ?? 0;
  if (findings.length === 0)
    findings.push(fine('config', `connections: ${connections}, targets of alerts: ${targets}`));
  return findings;
};

/** Emulated orders do nothing while the desk is stopped. */
export const checkHeld: Check = ({ desk, store }) => {
  const held = desk.state
    ? Object.values(desk.state.orders).filter((order) => order.held === true).length
    : store.state === 'there'
      ? (store.facts?.held ?? 0)
      : 0;
  if (held === 0) return [];
  const orders = held === 1 ? '1 order waits' : `${held} orders wait`;
  if (desk.runs)
    return [fine('stops', `${orders} in this desk, not at an exchange: nothing while it is stopped`)];
  return [
    warn(
      'stops',
      `${orders} in this desk, not at an exchange, and it does not run`,
      'start it: outcry serve',
    ),
  ];
};

function passphraseProblem(file: string | null | undefined): string | null {
  if (file === null || file === undefined) return null;
  const read = readSecretBytes(file);
  if ('problem' in read) return read.problem;
  read.bytes.fill(0);
  return null;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
