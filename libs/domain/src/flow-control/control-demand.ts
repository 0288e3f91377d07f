import { createHash } from 'node:crypto';
import type { ControlName, ControlSettings } from '../flows/control-settings';

/** A rule of a flow with one key. All runs of the flow that have this key share it. */
export type ResourceId = string;

/** What a run needs before it may begin, by the settings of its flow version and by its keys. */
export interface ControlDemand {
  concurrency?: LimitDemand;
  rate?: LimitDemand & { windowMs: number };
  dedupe?: { resource: ResourceId; windowMs: number };
  /** The run begins when no other run with its key has come for this time. */
  debounce?: { resource: ResourceId; quietMs: number };
  /** The run waits for others with its key, and one of them gets the payloads of all. */
  batch?: { resource: ResourceId; size: number; longestMs: number };
}

export interface LimitDemand {
  resource: ResourceId;
  limit: number;
  /** Whether only runs with the same key count. */
  isKeyed: boolean;
  /** Whether a run without room ends instead of waiting. */
  drops: boolean;
}

/** The limits of the published version of a flow. They hold for the runs of its other versions too. */
export interface PublishedLimits {
  /** Null when the version has no such rule. */
  concurrency: number | null;
  rate: { limit: number; windowMs: number } | null;
}

/** What a run needs by its own rules and the limits of the published version, which null says are not on record. */
export function presentDemand(demand: ControlDemand, published: PublishedLimits | null): ControlDemand {
  if (published === null) return demand;
  const { concurrency, rate, ...ofEvents } = demand;
  const limit = published.concurrency;
  return {
    ...ofEvents,
    ...(concurrency && limit !== null && { concurrency: { ...concurrency, limit } }),
    ...(rate && published.rate && { rate: { ...rate, ...published.rate } }),
  };
}

/** The keys of a run by the name of the control. A control without a key has none. */
export type ControlKeys = Partial<Record<ControlName, string>>;

export function controlDemand(flowId: string, settings: ControlSettings, keys: ControlKeys): ControlDemand {
  const resource = (name: ControlName): ResourceId => resourceId(flowId, name, keys[name] ?? null);
  const { concurrency, rateLimit, dedupe, debounce, batch } = settings;
  const limit = (name: 'concurrency' | 'rateLimit', of: NonNullable<typeof concurrency>): LimitDemand => ({
    resource: resource(name),
    limit: of.limit,
    isKeyed: of.key !== undefined,
    drops: of.overflow === 'drop',
  });
  return {
    ...(concurrency && { concurrency: limit('concurrency', concurrency) }),
    ...(rateLimit && { rate: { ...limit('rateLimit', rateLimit), windowMs: rateLimit.windowSeconds * 1_000 } }),
    ...(dedupe && { dedupe: { resource: resource('dedupe'), windowMs: dedupe.windowSeconds * 1_000 } }),
    ...(debounce && { debounce: { resource: resource('debounce'), quietMs: debounce.seconds * 1_000 } }),
    ...(batch && {
      batch: { resource: resource('batch'), size: batch.size, longestMs: batch.seconds * 1_000 },
    }),
  };
}

export const publishedLimits = ({ concurrency, rateLimit }: ControlSettings): PublishedLimits => ({
  concurrency: concurrency?.limit ?? null,
  rate: rateLimit ? { limit: rateLimit.limit, windowMs: rateLimit.windowSeconds * 1_000 } : null,
});

/** The resources of limits, for which a run may wait. */
export const resourcesOf = ({ concurrency, rate }: ControlDemand): ResourceId[] =>
  [concurrency, rate].flatMap((limit) => limit?.resource ?? []);

/** A key may be long and may hold personal data, so only its hash is stored. */
function resourceId(flowId: string, name: ControlName, key: string | null): ResourceId {
  const hash = createHash('sha256')
    .update(JSON.stringify([flowId, name, key]))
    .digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-');
}
