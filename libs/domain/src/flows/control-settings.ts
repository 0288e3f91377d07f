import type { JsonReader } from '../json/json-reader';

// The settings of a trigger that decide when a run may begin, and whether it begins at all. libs/domain/src/flow-control
// has the rules. A setting of a wrong shape is refused when it is read; one that cannot work makes the trigger invalid.

/** What becomes of a run for which there is no room: it waits, or it ends. */
export type Overflow = 'wait' | 'drop';

/** At most `limit` runs with the same key are under way at once. */
export interface ConcurrencySettings {
  limit: number;
  key?: string;
  overflow?: Overflow;
}

/** At most `limit` runs with the same key begin within any `windowSeconds`. */
export interface RateLimitSettings {
  limit: number;
  windowSeconds: number;
  key?: string;
  overflow?: Overflow;
}

/** Of the runs with the same key that come within `windowSeconds`, the first executes. */
export interface DedupeSettings {
  key: string;
  windowSeconds: number;
}

/** Of runs with the same key, the one that executes is the one after which none has come for `seconds`. */
export interface DebounceSettings {
  seconds: number;
  key?: string;
}

/** Runs with the same key are gathered, up to `size` and for `seconds`; one executes with the payloads of all. */
export interface BatchSettings {
  size: number;
  seconds: number;
  key?: string;
}

/** The name that always means the trigger in keys, whatever name the trigger has. */
export const TRIGGER = 'trigger';

/** Keys are texts with expressions, which a worker resolves against the payload of the run. */
export interface ControlSettings {
  concurrency?: ConcurrencySettings;
  rateLimit?: RateLimitSettings;
  dedupe?: DedupeSettings;
  debounce?: DebounceSettings;
  batch?: BatchSettings;
}

export type ControlName = keyof ControlSettings;

export const CONTROL_NAMES = [
  'concurrency',
  'rateLimit',
  'dedupe',
  'debounce',
  'batch',
] as const satisfies readonly ControlName[];

const OVERFLOWS = ['wait', 'drop'] as const;
const DAY_SECONDS = 24 * 60 * 60;

/** The least and the most that each number may be. */
export const CONTROL_BOUNDS = {
  limit: [1, 10_000],
  rateWindowSeconds: [1, DAY_SECONDS],
  dedupeWindowSeconds: [1, 30 * DAY_SECONDS],
  gatherSeconds: [1, DAY_SECONDS],
  batchSize: [2, 1_000],
} as const satisfies Record<string, readonly [number, number]>;

type Bounds = readonly [least: number, most: number];

/** Reads the settings of control among the settings of a trigger. */
export function parseControlSettings(settings: JsonReader): ControlSettings {
  return {
    ...part(settings, 'concurrency', (reader) => ({ ...limitOf(reader), ...keyOf(reader), ...overflowOf(reader) })),
    ...part(settings, 'rateLimit', (reader) => ({
      ...limitOf(reader),
      windowSeconds: reader.number('windowSeconds', 0),
      ...keyOf(reader),
      ...overflowOf(reader),
    })),
    ...part(settings, 'dedupe', (reader) => ({
      key: reader.text('key', ''),
      windowSeconds: reader.number('windowSeconds', 0),
    })),
    ...part(settings, 'debounce', (reader) => ({ seconds: reader.number('seconds', 0), ...keyOf(reader) })),
    ...part(settings, 'batch', (reader) => ({
      size: reader.number('size', 0),
      seconds: reader.number('seconds', 0),
      ...keyOf(reader),
    })),
  };
}

function part<Name extends ControlName, Settings>(
  settings: JsonReader,
  name: Name,
  read: (reader: JsonReader) => Settings,
): { [Key in Name]?: Settings } {
  if (!settings.has(name)) return {};
  const reader = settings.inside(name);
  const parsed = read(reader);
  reader.refuseOthers();
  return { [name]: parsed } as { [Key in Name]?: Settings };
}

const limitOf = (reader: JsonReader) => ({ limit: reader.number('limit', 0) });

const keyOf = (reader: JsonReader): { key?: string } => {
  const key = reader.text('key', undefined);
  return key === undefined ? {} : { key };
};

const overflowOf = (reader: JsonReader): { overflow?: Overflow } =>
  reader.has('overflow') ? { overflow: reader.oneOf('overflow', OVERFLOWS) } : {};

/** The keys of the settings, by the name of their control. A control without a key has none. */
export function controlKeys(settings: ControlSettings): Partial<Record<ControlName, string>> {
  const keys = CONTROL_NAMES.flatMap((name) => {
    const key = settings[name]?.key;
    return key === undefined ? [] : [[name, key]];
  });
  return Object.fromEntries(keys) as Partial<Record<ControlName, string>>;
}

/** One sentence for each setting with which the control cannot work. */
export function controlProblems(settings: ControlSettings): string[] {
  const { concurrency, rateLimit, dedupe, debounce, batch } = settings;
  const { limit, rateWindowSeconds, dedupeWindowSeconds, gatherSeconds, batchSize } = CONTROL_BOUNDS;
  return [
    ...outside('concurrency.limit', concurrency?.limit, limit),
    ...outside('rateLimit.limit', rateLimit?.limit, limit),
    ...outside('rateLimit.windowSeconds', rateLimit?.windowSeconds, rateWindowSeconds),
    ...outside('dedupe.windowSeconds', dedupe?.windowSeconds, dedupeWindowSeconds),
    ...(dedupe?.key.trim() === '' ? ['The setting dedupe.key is required.'] : []),
    ...outside('debounce.seconds', debounce?.seconds, gatherSeconds),
    ...outside('batch.size', batch?.size, batchSize),
    ...outside('batch.seconds', batch?.seconds, gatherSeconds),
    ...(debounce && batch ? ['The settings debounce and batch exclude each other.'] : []),
  ];
}

function outside(name: string, value: number | undefined, [least, most]: Bounds): string[] {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return [];
  return [`The setting ${name} must be a whole number from ${least} to ${most}.`];
}

/** One sentence for each setting that works, but hardly as its author means it. */
export const controlWarnings = (settings: ControlSettings): string[] =>
  Object.entries(controlKeys(settings))
    .filter(([, key]) => key.trim() !== '' && !key.includes('{{'))
    .map(([name]) => `The setting ${name}.key has no expression, so all runs have the same key.`);
