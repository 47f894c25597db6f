/** The tables `[targets.NAME]` of the configuration file (S48): targets of alerts. No value is ever shown. */
import { dirname, resolve } from 'node:path';
import {
  isOpenHttp,
  isRight,
  TARGET_RULES,
  TARGETS_MAX,
  type TargetOptions,
} from '../notify/target-options.ts';
import { FORMS, type Form } from './forms.ts';
import { readSecretFile } from './secret-file.ts';
import {
  camelCased,
  defined,
  hidden,
  isTable,
  pathOf,
  type Reading,
  readTable,
  readValue,
  type TableForm,
  type Values,
} from './toml-tables.ts';
import { UsageError } from './usage-error.ts';

/** Values that may be in a file of their own. */
const SECRETS = ['secret', 'token'] as const;

/** The forms by the `type` of a target. */
const TARGET_FORMS: Readonly<Record<TargetOptions['type'], { form: TableForm; needed: readonly string[] }>> =
  {
    webhook: {
      form: {
        keys: {
          type: target('type'),
          url: target('url'),
          secret: target('secret'),
          secret_file: FORMS.path,
          allow_http: FORMS.flag,
        },
      },
      needed: ['url'],
    },
    telegram: {
      form: {
        keys: {
          type: target('type'),
          token: target('token'),
          token_file: FORMS.path,
          chat: target('chat'),
          base_url: target('baseUrl'),
        },
      },
      needed: ['token', 'chat'],
    },
  };

/** Reads `[targets.NAME]`, each table by the form of its type. */
export function readTargets(tables: unknown, reading: Reading): TargetOptions[] {
  const { file } = reading;
  if (!isTable(tables)) throw hidden(file, 'targets', 'tables, written as [targets.NAME]');
  const entries = Object.entries(tables);
  if (entries.length > TARGETS_MAX) {
    throw new UsageError(`${file}: targets has ${entries.length} tables: it takes ${TARGETS_MAX} at most`);
  }
  return entries.map(([name, table]) => {
    const at = pathOf('targets', name);
    if (!isRight('name', name)) {
      throw new UsageError(`${file}: ${at} cannot be the name of a target: it takes ${TARGET_RULES.name}`);
    }
    if (!isTable(table)) throw hidden(file, at, `a table, written as [${at}]`);
    return readTarget(name, table, at, reading);
  });
}

function readTarget(name: string, table: Values, at: string, reading: Reading): TargetOptions {
  const { file } = reading;
  const missing = (key: string, right: string) =>
    new UsageError(`${file}: ${at}.${key} is missing: it takes ${right}`);
  if (table.type === undefined) throw missing('type', TARGET_RULES.type);
  readValue(table.type, target('type'), `${at}.type`, file);
  const { form, needed } = TARGET_FORMS[table.type as TargetOptions['type']];
  const values = withFiles(readTable(table, form, at, reading), at, reading);
  for (const key of needed) {
    if (values[key] === undefined) throw missing(key, form.keys[key]?.right ?? '');
  }
  for (const key of ['url', 'base_url']) {
    if (values.allow_http === true || !isOpenHttp(String(values[key]))) continue;
    const allow = key === 'url' ? ', or set allow_http = true' : '';
    throw new UsageError(`${file}: ${at}.${key} cannot be plain http to another machine: use https${allow}`);
  }
  const chat = values.chat === undefined ? undefined : String(values.chat);
  return { ...camelCased(values), ...defined({ chat }), name } as unknown as TargetOptions;
}

/** Reads `secret_file` for `secret`, `token_file` for `token`: the value is the file's one line. */
function withFiles(values: Values, at: string, { file }: Reading): Values {
  const rest: Record<string, unknown> = { ...values };
  for (const key of SECRETS) {
    const path = rest[`${key}_file`];
    if (path === undefined) continue;
    delete rest[`${key}_file`];
    const where = `${at}.${key}_file`;
    if (rest[key] !== undefined)
      throw new UsageError(`${file}: ${where} and ${at}.${key} are both given: give one`);
    const secret = readSecretFile(resolve(dirname(file), String(path)));
    if ('problem' in secret) throw new UsageError(`${file}: ${where}: ${secret.problem}`);
    if (!isRight(key, secret.text))
      throw new UsageError(`${file}: ${where}: the file does not hold ${TARGET_RULES[key]}`);
    rest[key] = secret.text;
  }
  return rest;
}

/** The form of a target's value. A number is accepted if its digits are: ids of chats. */
function target(rule: keyof typeof TARGET_RULES): Form {
  const accepts = (value: unknown) =>
    isRight(rule, rule === 'chat' && Number.isSafeInteger(value) ? String(value) : value);
  return { right: TARGET_RULES[rule], accepts, ...(rule !== 'type' && { hidden: true }) };
}
