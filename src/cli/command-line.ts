/** The command line as data: a command with its settings. Starts nothing, prints nothing. */
import { Command, CommanderError, Option } from 'commander';
import { closest } from '../domain/did-you-mean.ts';
import { type CommandRow, SHELLS } from './completions/completions.ts';
import { flagOf, OPTIONS, type OptionName, type OptionValues } from './options.ts';
import { UsageError } from './usage-error.ts';

const COMMON = ['dataDir'] as const;
const API = ['port', 'host', 'tlsCert', 'tlsKey', 'trustedProxy', 'allowOrigin'] as const;
const PLAYED = ['config', 'candles', 'from', 'to'] as const;
const DESK = [...COMMON, ...API, 'ssh', 'feed', 'speed', 'hold', 'seed', 'takeover'] as const;

const GUARDS = [
  'maxOrderValue',
  'maxPositionValue',
  'maxOpenOrders',
  'maxOrdersPerMinute',
  'priceBand',
  'dailyLossLimit',
  'symbols',
] as const;

const COMMANDS = {
  console: { help: 'the console, on a new desk or the one that runs on the data folder (default)' },
  serve: { help: 'a desk without a terminal; prints one JSON line when it is ready' },
  ping: { help: 'sign a GET /v2/ping with a key and say what came back' },
  backtest: { help: 'run a bot over a candle file and say what would have come of it' },
  'keys add': { help: 'make an API key on the running desk, and print its private key once' },
  'keys list': { help: 'list the API keys of the running desk' },
  'keys revoke': { help: 'revoke an API key of the running desk, by its id or its name' },
  'vault init': { help: 'make the vault of the running desk, for the secrets of its connections' },
  'vault unlock': { help: 'open the vault of the running desk' },
  'vault lock': { help: 'lock the vault of the running desk: its connections wait' },
  'vault change': { help: 'set another passphrase of the vault' },
  'vault forget': { help: 'take the secrets of a connection out of the vault, for good' },
  attach: { help: 'the console on the desk that runs on the data folder, as an operator of it' },
  'ssh add': { help: 'let somebody log in to the running desk over SSH, with a key and a role' },
  'ssh remove': { help: 'take an operator away: its sessions end at once' },
  'ssh list': { help: 'list the operators of the running desk' },
  'ssh line': { help: 'print the line of an operator for the authorized_keys of this account' },
  'ssh sessions': { help: 'list the terminals of the running desk' },
  'ssh kick': { help: 'end a terminal of the running desk' },
  'ssh fingerprint': { help: 'print the host key of the desk’s own sshd, as known_hosts has it' },
  'ssh rotate-host-key': { help: 'prepare the next host key of the desk’s own sshd, or change over to it' },
  'ssh check': { help: 'look for what on this machine keeps operators from logging in' },
  connect: {
    help: 'connect an exchange to the running desk, with keys from files, typed unseen, or from standard input',
  },
  disconnect: { help: 'disconnect an exchange from the running desk and forget its keys' },
  pnl: {
    help: 'what trading has brought: realised, fees, funding, by day, symbol, bot and more, of the running desk',
  },
  panic: { help: 'stop all bots, cancel all orders, close all positions of the running desk' },
  status: { help: 'whether a desk runs on the data folder, and how it stands' },
  orders: { help: 'list the open orders of the running desk' },
  positions: { help: 'list the open positions of the running desk' },
  'cancel-all': { help: 'cancel the open orders of the running desk' },
  logs: { help: 'the newest lines of the running desk’s log' },
  stop: { help: 'stop the running desk' },
  doctor: { help: 'look for what keeps a desk from running well, and say what to do about it' },
  completions: { help: 'print the completions of these commands for a shell' },
} as const;
export type CommandName = keyof typeof COMMANDS;

/** First words that several commands share. */
const GROUPS: Readonly<Record<string, string>> = {
  keys: 'API keys of the running desk',
  vault: 'the vault of the running desk',
  ssh: 'operators of the running desk, and their terminals',
};
/** Commands that take an argument: the argument's word, its meaning, and where to find it. */
const ARGUMENTS: Readonly<Partial<Record<CommandName, { word: string; help: string; shownBy: string }>>> = {
  'keys revoke': { word: 'key', help: 'its id or its name', shownBy: 'outcry keys list shows them' },
  'vault forget': { word: 'connection', help: 'its name', shownBy: 'the screen Accounts shows them' },
  'ssh add': {
    word: 'name',
    help: 'its name, small letters',
    shownBy: 'it is the operator’s own, such as alice',
  },
  'ssh remove': { word: 'name', help: 'its name', shownBy: 'outcry ssh list shows them' },
  'ssh line': { word: 'name', help: 'its name', shownBy: 'outcry ssh list shows them' },
  'ssh kick': { word: 'session', help: 'its id, such as s7', shownBy: 'outcry ssh sessions shows them' },
  connect: {
    word: 'name',
    help: 'what it is to be called here',
    shownBy: 'its accounts are called after it, such as binance-spot',
  },
  disconnect: { word: 'exchange', help: 'the name it was given', shownBy: 'the screen Accounts shows them' },
  completions: { word: 'shell', help: `one of ${SHELLS.join(', ')}`, shownBy: 'echo $SHELL shows yours' },
};

/** All commands with their options, for generated documents and completions. */
export function commandTable(): CommandRow[] {
  return (Object.keys(COMMANDS) as CommandName[]).map((name) => ({
    words: name.split(' '),
    help: COMMANDS[name].help,
    options: TAKES[name].map((option) => OPTIONS[option]),
    ...(ARGUMENTS[name] ? { argument: ARGUMENTS[name].word } : {}),
  }));
}

/** First words that several commands share, and what those commands are about. */
export function commandGroups(): Readonly<Record<string, string>> {
  return GROUPS;
}

/** The second words of a group: `add`, `list`, `revoke` for `keys`. */
function commandsOf(group: string): string[] {
  return Object.keys(COMMANDS).flatMap((name) => {
    const [first, second] = name.split(' ');
    return first === group && second !== undefined ? [second] : [];
  });
}

const LOOK = [...COMMON, 'role'] as const;
const LISTED = [...LOOK, 'exchange', 'symbol'] as const;

const TAKES = {
  console: [...DESK, 'theme', 'ascii', 'screenReader'],
  serve: DESK,
  ping: [...COMMON, 'key', 'url', 'ca'],
  backtest: [...PLAYED, 'fee', 'slippage', 'balance', 'json', 'csv', 'svg', 'ascii'],
  'keys add': [...COMMON, 'name', 'tier', 'ip', 'exchange', 'publicKey', 'yes'],
  'keys list': [...COMMON, 'json'],
  'keys revoke': [...COMMON, 'yes'],
  'vault init': [...COMMON, 'passphraseFile'],
  'vault unlock': [...COMMON, 'passphraseFile'],
  'vault lock': COMMON,
  'vault change': [...COMMON, 'passphraseFile', 'newPassphraseFile'],
  'vault forget': [...COMMON, 'yes'],
  connect: [
    ...([
      ...COMMON,
      'venue',
      'markets',
      'environment',
      'endpoint',
      'apiKeyFile',
      'secretFile',
      'passphraseFile',
    ] as const),
    ...(['allowWithdrawals', 'makeKey', 'replace', 'yes', ...GUARDS] as const),
  ],
  disconnect: [...COMMON, 'yes'],
  attach: [...COMMON, 'as', 'role', 'theme', 'ascii', 'screenReader'],
  'ssh add': [...COMMON, 'role', 'key', 'network', 'expires', 'verify', 'certificates', 'replace'],
  'ssh remove': [...COMMON, 'yes'],
  'ssh list': [...COMMON, 'json'],
  'ssh line': COMMON,
  'ssh sessions': [...COMMON, 'json'],
  'ssh kick': [...COMMON, 'reason'],
  pnl: [...COMMON, 'since', 'until', 'days', 'by', 'account', 'trades', 'json', 'csv'],
  'ssh fingerprint': COMMON,
  'ssh rotate-host-key': [...COMMON, 'now', 'yes'],
  'ssh check': COMMON,
  panic: [...COMMON, 'only', 'yes'],
  status: [...LOOK, 'json'],
  orders: [...LISTED, 'json'],
  positions: [...LISTED, 'json'],
  'cancel-all': [...LISTED, 'stops', 'bots', 'yes'],
  logs: [...LOOK, 'follow', 'lines', 'json'],
  stop: [...LOOK, 'yes'],
  doctor: [...COMMON, 'json'],
  completions: [],
} as const satisfies Record<CommandName, readonly OptionName[]>;

type Settings<C extends CommandName> = Partial<Pick<OptionValues, (typeof TAKES)[C][number]>>;

export type CommandLine =
  | { readonly command: 'console'; readonly settings: Settings<'console'> }
  | { readonly command: 'serve'; readonly settings: Settings<'serve'> }
  | { readonly command: 'ping'; readonly settings: Settings<'ping'> & { readonly key: string } }
  | {
      readonly command: 'backtest';
      readonly settings: Settings<'backtest'> & {
        readonly config: string;
        readonly candles: readonly string[];
      };
    }
  | { readonly command: 'keys add'; readonly settings: Settings<'keys add'> & { readonly name: string } }
  | { readonly command: 'keys list'; readonly settings: Settings<'keys list'> }
  | {
      readonly command: 'keys revoke';
      readonly settings: Settings<'keys revoke'> & { readonly which: string };
    }
  | { readonly command: 'vault init'; readonly settings: Settings<'vault init'> }
  | { readonly command: 'vault unlock'; readonly settings: Settings<'vault unlock'> }
  | { readonly command: 'vault lock'; readonly settings: Settings<'vault lock'> }
  | { readonly command: 'vault change'; readonly settings: Settings<'vault change'> }
  | {
      readonly command: 'vault forget';
      readonly settings: Settings<'vault forget'> & { readonly which: string };
    }
  | { readonly command: 'connect'; readonly settings: Settings<'connect'> & { readonly which: string } }
  | { readonly command: 'disconnect'; readonly settings: Settings<'disconnect'> & { readonly which: string } }
  | { readonly command: 'attach'; readonly settings: Settings<'attach'> }
  | { readonly command: 'ssh add'; readonly settings: Settings<'ssh add'> & { readonly which: string } }
  | { readonly command: 'ssh remove'; readonly settings: Settings<'ssh remove'> & { readonly which: string } }
  | { readonly command: 'ssh list'; readonly settings: Settings<'ssh list'> }
  | { readonly command: 'ssh line'; readonly settings: Settings<'ssh line'> & { readonly which: string } }
  | { readonly command: 'ssh sessions'; readonly settings: Settings<'ssh sessions'> }
  | { readonly command: 'ssh kick'; readonly settings: Settings<'ssh kick'> & { readonly which: string } }
  | { readonly command: 'pnl'; readonly settings: Settings<'pnl'> }
  | { readonly command: 'ssh fingerprint'; readonly settings: Settings<'ssh fingerprint'> }
  | { readonly command: 'ssh rotate-host-key'; readonly settings: Settings<'ssh rotate-host-key'> }
  | { readonly command: 'ssh check'; readonly settings: Settings<'ssh check'> }
  | { readonly command: 'panic'; readonly settings: Settings<'panic'> }
  | { readonly command: 'status'; readonly settings: Settings<'status'> }
  | { readonly command: 'orders'; readonly settings: Settings<'orders'> }
  | { readonly command: 'positions'; readonly settings: Settings<'positions'> }
  | { readonly command: 'cancel-all'; readonly settings: Settings<'cancel-all'> }
  | { readonly command: 'logs'; readonly settings: Settings<'logs'> }
  | { readonly command: 'stop'; readonly settings: Settings<'stop'> }
  | { readonly command: 'doctor'; readonly settings: Settings<'doctor'> }
  | { readonly command: 'completions'; readonly settings: { readonly which: string } }
  /** The help or the version; `text` is printed. */
  | { readonly command: 'print'; readonly text: string };

/** Reads the arguments after the program's name. Throws a `UsageError`. */
export function parseCommandLine(args: readonly string[], version: string): CommandLine {
  let printed = '';
  let found: Found | null = null;
  const output = {
    writeOut: (text: string) => {
      printed += text;
    },
    writeErr: () => {},
  };
  const take = (name: CommandName) => (raw: Record<string, unknown>) => {
    found = { name, raw: { ...root.opts(), ...raw } };
  };
  const takeOne = (name: CommandName) => (which: string, raw: Record<string, unknown>) => {
    found = { name, raw: { ...root.opts(), ...raw }, which };
  };
  const root = addOptions(new Command('outcry'), 'console')
    .description('A terminal trading console with the whole trading service behind it.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(output)
    .action(take('console'));
  const groups = new Map(Object.keys(GROUPS).map((name) => [name, addGroup(root, name)]));
  for (const name of Object.keys(COMMANDS) as CommandName[]) {
    const [first = '', second] = name.split(' ');
    const within = second === undefined ? root : (groups.get(first) ?? root);
    const command = addOptions(within.command(second ?? first), name);
    command.description(COMMANDS[name].help).helpOption('-h, --help', 'print this help');
    const argument = ARGUMENTS[name];
    if (argument) command.argument(`<${argument.word}>`, argument.help).action(takeOne(name));
    else command.action(take(name));
  }
  checkValues(args);
  try {
    root.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { command: 'print', text: printed };
    throw new UsageError(sentence(error, args));
  }
  if (!found) throw new Error('the command line was not read');
  return readSettings(found);
}

interface Found {
  readonly name: CommandName;
  readonly raw: Record<string, unknown>;
  /** The command's argument, if it takes one. */
  readonly which?: string;
}

function addGroup(root: Command, name: string): Command {
  const commands = commandsOf(name);
  const list = `${commands.slice(0, -1).join(', ')} or ${commands.at(-1)}`;
  return root
    .command(name)
    .description(`${GROUPS[name]}: ${commands.join(', ')}`)
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .action(() => {
      throw new UsageError(`outcry ${name} takes ${list}: outcry ${name} --help tells more`);
    });
}

function addOptions(command: Command, name: CommandName): Command {
  for (const option of TAKES[name]) {
    const { flags, help, repeats } = OPTIONS[option];
    const added = new Option(flags, help);
    if (repeats) added.argParser((text: string, before: readonly string[] = []) => [...before, text]);
    command.addOption(added);
  }
  return command;
}

/** Reads a command's options. They may come before its name: then the command must take them. */
function readSettings({ name, raw, which }: Found): CommandLine {
  const settings: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(raw)) {
    const isMeant = (option: OptionName) => attributeOf(option) === attribute;
    const key = TAKES[name].find(isMeant);
    if (key === undefined) {
      const known = (Object.keys(OPTIONS) as OptionName[]).find(isMeant) ?? 'dataDir';
      throw new UsageError(
        `option ${flagOf(OPTIONS[known].flags)} does not apply to outcry ${name}: outcry ${name} --help lists those that do`,
      );
    }
    settings[key] = readValue(value, OPTIONS[key].read);
  }
  if (name === 'ping' && settings.key === undefined)
    throw new UsageError(
      'option --key is missing: outcry ping --key FILE takes the PEM file of a private key, as written to keys/ in the data folder when a key is generated',
    );
  if (name === 'keys add' && settings.name === undefined)
    throw new UsageError('option --name is missing: outcry keys add --name NAME names the key');
  if (which !== undefined) settings.which = which;
  if (name === 'backtest') checkBacktest(settings);
  return { command: name, settings } as CommandLine;
}

/** Returns Commander's name of an option: two options of different commands may have the same flag. */
function attributeOf(option: OptionName): string {
  return new Option(flagOf(OPTIONS[option].flags)).attributeName();
}

function checkBacktest(settings: Record<string, unknown>): void {
  for (const key of ['config', 'candles'] as const) {
    if (settings[key] !== undefined) continue;
    const { flags, help } = OPTIONS[key];
    throw new UsageError(`option ${flagOf(flags)} is missing: ${flags} is the ${help}`);
  }
  const { from, to } = settings as { from?: number; to?: number };
  if (from !== undefined && to !== undefined && from >= to) {
    throw new UsageError('option --to cannot be at or before --from: no candle would be played');
  }
}

function readValue(value: unknown, read: ((text: string) => unknown) | undefined): unknown {
  if (!read) return true;
  return Array.isArray(value) ? value.map((text) => read(String(text))) : read(String(value));
}

/** Commander's error as one sentence of this program. */
function sentence(error: CommanderError, args: readonly string[]): string {
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const meant = error.message
    .split('Did you mean ')[1]
    ?.split('?)', 1)[0]
    ?.replace(/^one of /, '');
  switch (error.code) {
    case 'commander.unknownOption':
      return meant
        ? `unknown option ${quoted}: did you mean ${meant}?`
        : `unknown option ${quoted}: outcry --help lists the options`;
    case 'commander.optionMissingArgument': {
      const [flag, value] = quoted.split(' ');
      return `option ${flag} needs a value: ${flag} ${value}`;
    }
    case 'commander.missingArgument':
      return argumentSentence(quoted, args);
    case 'commander.excessArguments': {
      const [command] = args;
      if (command !== undefined && Object.hasOwn(GROUPS, command))
        return groupSentence(command, args.slice(1));
      const known = command !== undefined && Object.hasOwn(COMMANDS, command);
      const argument = known ? ARGUMENTS[command as CommandName] : undefined;
      if (argument) return `outcry ${command} takes one ${argument.word}, ${argument.help}`;
      if (known)
        return `outcry ${command} takes no arguments, only options: outcry ${command} --help lists them`;
      const stray = args.find((arg, index) => !arg.startsWith('-') && !takesValue(args[index - 1]));
      return `unknown command ${JSON.stringify(stray)}: the commands are ${[...new Set(Object.keys(COMMANDS).map((name) => name.split(' ')[0]))].join(', ')}`;
    }
    default:
      return `${error.message.replace(/^error: /, '').replaceAll('\n', ' ')}; outcry --help tells more`;
  }
}

/** Rejects the name of an option as a value, as in `--data-dir --port 0`. Throws a `UsageError`. */
function checkValues(args: readonly string[]): void {
  for (const [at, flag] of args.entries()) {
    const next = args[at + 1];
    if (!takesValue(flag) || next === undefined || !isFlag(next)) continue;
    const { flags = flag } = Object.values(OPTIONS).find((option) => flagOf(option.flags) === flag) ?? {};
    throw new UsageError(`option ${flag} needs a value: ${flags}; what follows it is the option ${next}`);
  }
}

function isFlag(text: string): boolean {
  return Object.values(OPTIONS).some(({ flags }) => flagOf(flags) === text);
}

/** The error for a missing argument, as after `outcry keys revoke`. */
function argumentSentence(word: string, args: readonly string[]): string {
  const isGiven = (name: string) => name.split(' ').every((part) => args.includes(part));
  const [name = '', argument] =
    Object.entries(ARGUMENTS).find(([name, one]) => one.word === word && isGiven(name)) ?? [];
  const verb = name.split(' ').at(-1);
  return `outcry ${name} takes the ${word} to ${verb}, ${argument?.help}: ${argument?.shownBy}`;
}

/** The error for wrong arguments of a group, as after `outcry keys`. */
function groupSentence(group: string, [name = '']: readonly string[]): string {
  const argument = ARGUMENTS[`${group} ${name}` as CommandName];
  if (argument) return `outcry ${group} ${name} takes one ${argument.word}, ${argument.help}`;
  if (Object.hasOwn(COMMANDS, `${group} ${name}`))
    return `outcry ${group} ${name} takes no arguments, only options: outcry ${group} ${name} --help lists them`;
  const commands = commandsOf(group);
  const near = closest(name, commands);
  const right = near === null ? `the commands are ${commands.join(', ')}` : `did you mean ${near}?`;
  return `unknown command ${JSON.stringify(`${group} ${name}`)}: ${right}`;
}

function takesValue(flag: string | undefined): boolean {
  return Object.values(OPTIONS).some(({ flags, read }) => read && flagOf(flags) === flag);
}
