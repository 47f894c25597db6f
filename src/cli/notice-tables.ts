/** The table `[notices]` of the configuration file: notices that need no bot, and their targets. */
import { type NoticeOptions, noticesProblem, TOLD_KINDS, type ToldKind } from '../domain/notices.ts';
import type { TargetOptions } from '../notify/target-options.ts';
import { FORMS, type Form } from './forms.ts';
import { defined, isTable, type Reading, readTable, type TableForm } from './toml-tables.ts';
import { UsageError } from './usage-error.ts';

const name: Form = {
  right: 'console, bell, osc9 or the name of a target',
  accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,32}$/.test(value),
};

const FORM: TableForm = {
  keys: {
    ...(Object.fromEntries(TOLD_KINDS.map((kind) => [kind, FORMS.list(name)])) as Record<ToldKind, Form>),
    liquidation_percent: percent(50),
    guard_percent: percent(100),
    of_bots: FORMS.flag,
  },
};

/** Reads the table. Throws a UsageError of one sentence. */
export function readNotices(
  table: unknown,
  targets: readonly TargetOptions[],
  reading: Reading,
): NoticeOptions {
  if (!isTable(table)) throw new UsageError(`${reading.file}: notices takes a table, written as [notices]`);
  const read = readTable(table, FORM, 'notices', reading);
  const to: Partial<Record<ToldKind, readonly string[]>> = {};
  for (const kind of TOLD_KINDS) if (read[kind] !== undefined) to[kind] = read[kind] as string[];
  const problem = noticesProblem(
    { to },
    targets.map((target) => target.name),
  );
  if (problem !== null) throw new UsageError(`${reading.file}: ${problem}`);
  return {
    to,
    ...defined({
      liquidationPercent: read.liquidation_percent,
      guardPercent: read.guard_percent,
      ofBots: read.of_bots,
    }),
  };
}

function percent(most: number): Form {
  return {
    right: `a percentage above 0, ${most} at most`,
    accepts: (value) => typeof value === 'number' && value > 0 && value <= most,
  };
}
