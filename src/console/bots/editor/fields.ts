/**
 * The form of a bot type as a tree, made from its schema: groups, lists and fields with their help texts, and
 * the section of each. Paths are those of the deep validation. Pure; made once per type.
 */
import { BotOptions, type BotType, schemaOf, wordsOf } from '../../../schemas/bots/index.ts';

export const SECTIONS = ['market', 'deposit', 'entries', 'exits', 'stops', 'filters', 'options'] as const;
export type Section = (typeof SECTIONS)[number];

/**
 * `line`: two moments with prices; `level`: a line or a number; `dynamic`: a price, or percent from a named
 * price; `names`: a list of words.
 */
export type LeafKind =
  | 'decimal'
  | 'integer'
  | 'flag'
  | 'choice'
  | 'text'
  | 'names'
  | 'line'
  | 'level'
  | 'dynamic';

interface Base {
  readonly name: string;
  readonly description: string;
  /** Required if its group exists. */
  readonly required: boolean;
  /** If entries have several forms: the values of `type` whose entries have this field; null: all. */
  readonly only: readonly string[] | null;
}

export interface Leaf extends Base {
  readonly kind: LeafKind;
  readonly default?: unknown;
  /** The values of a choice; for `dynamic`, the names of prices from which percents count. */
  readonly choices: readonly (string | number)[];
}

export interface Group extends Base {
  readonly kind: 'group';
  readonly fields: readonly Node[];
}

export interface List extends Base {
  readonly kind: 'list';
  readonly item: Group;
  readonly max: number;
  /** Shown as a table, because every field of an entry is short. */
  readonly table: boolean;
}

export type Node = Leaf | Group | List;

/** The part of JSON Schema that these schemas use. */
interface Part {
  readonly type?: string;
  readonly anyOf?: readonly Part[];
  readonly const?: string | number;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly patternProperties?: object;
  readonly required?: readonly string[];
  readonly items?: Part;
  readonly maxItems?: number;
  readonly description?: string;
  readonly default?: unknown;
}

/** Largest number of columns in a table. */
const MAX_COLUMNS = 5;
const DEFAULT_MAX = 50;

const SECTION_OF: Readonly<Record<string, Section>> = {
  ...all('market', 'exchange symbol ticker quote timeFrame flavor algo mode side short trend'),
  ...all('market', 'positionSide marginType name'),
  ...all('deposit', 'deposit quantity strategy profitAsset'),
  ...all('entries', 'channels grid levels scale price entry entryPrice startBuy trailUp startTrigger'),
  ...all('entries', 'touchPercent confirmPercent invalidPercent retest maxEntries expiresAt expire'),
  ...all('entries', 'trailing trailingEdge trailingFrom trailingMaxChange trailingRules oncePerTimeFrame'),
  ...all('entries', 'duration limitOffset priceLimit jitter maxRangePercent mergeChannels waitFullSell'),
  ...all('entries', 'conditions match rsi'),
  ...all('exits', 'takeProfits takeProfit trailingSell trailingPart trailingDelta breakevenAfter buyOnly'),
  ...all('exits', 'crossChannelSell green'),
  ...all('stops', 'stop stopLoss stopAbove stopBelow sellOnExit timeout'),
  ...all('filters', 'filters range top cooldown'),
  ...all('options', 'onetime noticeLevel repeat snoozeDuration message notify'),
};

function all(section: Section, names: string): Record<string, Section> {
  return Object.fromEntries(names.split(' ').map((name) => [name, section]));
}

/** The section of the form in which a path of the settings is shown. */
export function sectionOf(type: BotType, path: string): Section {
  if (path.startsWith('@') || path.startsWith('options')) return 'options';
  if (path.startsWith('orders.sell')) return 'exits';
  if (path.startsWith('orders')) return 'entries';
  const [top = ''] = path.split(/[.[]/, 1);
  return wordsOf(type).sections?.[top] ?? SECTION_OF[top] ?? 'options';
}

const known = new Map<BotType, Group>();

/** All values that a bot of this type can have: the settings, `options`, and what is beside them (`@tag`). */
export function formTree(type: BotType): Group {
  const made = known.get(type) ?? makeTree(type);
  known.set(type, made);
  return made;
}

function makeTree(type: BotType): Group {
  const settings = groupOf('', [schemaOf(type) as Part], true, null);
  // The bot's type is set for the whole form, and its exchange is one of the existing accounts.
  const fields = settings.fields
    .filter(({ name }) => name !== 'type')
    .map((node): Node => (node.name === 'exchange' ? { ...node, kind: 'choice', choices: [] } : node));
  const options = groupOf('options', [BotOptions as Part], false, null);
  return {
    ...settings,
    fields: [...fields, ...(wordsOf(type).takesOptions ? [options] : []), ...BESIDE],
  };
}

const BESIDE: readonly Leaf[] = [
  beside('@tag', 'A label of your own, at most 50 characters; shown in place of the id.'),
  beside('@metadata', 'A text that is kept with the bot and never read.'),
];

function beside(name: string, description: string): Leaf {
  return { kind: 'text', name, description, required: false, only: null, choices: [] };
}

function groupOf(
  name: string,
  parts: readonly Part[],
  required: boolean,
  only: readonly string[] | null,
  description = '',
): Group {
  const names = new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})));
  const fields = [...names].flatMap((field) => nodeOf(field, parts) ?? []);
  return { kind: 'group', name, description, required, only, fields };
}

/** Merges a field from all parts that have it; null for an optional field with only one possible value. */
function nodeOf(name: string, parts: readonly Part[]): Node | null {
  const having = parts.filter((part) => part.properties?.[name]);
  const found = having.flatMap((part) => part.properties?.[name] ?? []);
  const [first = {}] = found;
  const required = having.every((part) => part.required?.includes(name));
  const only = having.length === parts.length ? null : having.flatMap(typesOf);
  const description = [...new Set(found.flatMap((part) => part.description ?? []))].join(' ');
  const base = { name, description, required, only };
  const branches = found.flatMap((part) => part.anyOf ?? [part]);
  const constants = branches.flatMap((branch) => branch.const ?? []);
  if (constants.length === branches.length) {
    const choices = [...new Set(constants)];
    if (choices.length === 1 && !required) return null;
    return { ...base, kind: 'choice', choices, ...defaultOf(first) };
  }
  const listed = branches.find((branch) => branch.type === 'array');
  if (listed) return listOf(base, listed);
  const objects = branches.filter((branch) => branch.properties);
  const [line] = branches.filter((branch) => branch.patternProperties);
  const types = branches.map(({ type }) => type);
  if (objects.length > 0 && types.includes('number')) {
    const from = objects[0]?.properties?.from;
    const choices = (from?.anyOf ?? []).flatMap((branch) => branch.const ?? []);
    return { ...base, kind: 'dynamic', choices };
  }
  if (objects.length > 0) return groupOf(name, objects, required, only, description);
  const kind: LeafKind = line
    ? types.includes('number')
      ? 'level'
      : 'line'
    : types.includes('number')
      ? 'decimal'
      : types.includes('integer')
        ? 'integer'
        : types.includes('boolean')
          ? 'flag'
          : 'text';
  return { ...base, kind, choices: [], ...defaultOf(first) };
}

function defaultOf(part: Part): { default?: unknown } {
  return part.default === undefined ? {} : { default: part.default };
}

/** The values of `type` that entries of this form have. */
function typesOf(part: Part): string[] {
  const own = part.properties?.type;
  return (own?.anyOf ?? (own ? [own] : [])).flatMap((branch) =>
    branch.const === undefined ? [] : String(branch.const),
  );
}

function listOf(base: Omit<Leaf, 'kind' | 'choices'>, part: Part): Node {
  const items = part.items ?? {};
  const forms = (items.anyOf ?? [items]).filter((branch) => branch.properties);
  if (forms.length === 0) return { ...base, kind: 'names', choices: [] };
  const item = groupOf('', forms, true, null);
  const short = item.fields.every(({ kind }) => !['group', 'list', 'line', 'level', 'names'].includes(kind));
  return {
    ...base,
    kind: 'list',
    item,
    max: part.maxItems ?? DEFAULT_MAX,
    table: short && forms.length === 1 && item.fields.length <= MAX_COLUMNS,
  };
}
