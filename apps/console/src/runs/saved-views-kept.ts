// Filters that somebody has named, to come back to. They are kept in this browser, for each project.

const MINUTE_MS = 60_000;
const MOST_VIEWS = 30;

export interface SavedView {
  name: string;
  /** The filters as the address has them, without moments. */
  filters: string;
  /** How long ago `createdAfter` was: "the last hour" of a view moves with the time. */
  sinceMinutes?: number;
}

/** Parts of an address that are no filter, or mean a moment. */
const NOT_KEPT = ['projectId', 'cursor', 'createdAfter', 'createdBefore'];

/** Returns the view of an address. */
export function viewOf(name: string, search: URLSearchParams, now: number): SavedView {
  const since = Date.parse(search.get('createdAfter') ?? '');
  return {
    name,
    filters: filtersIn(search),
    ...(Number.isNaN(since) ? {} : { sinceMinutes: Math.max(1, Math.round((now - since) / MINUTE_MS)) }),
  };
}

/** Returns the address of a view, in the project of this address. */
export function addressOf({ filters, sinceMinutes }: SavedView, search: URLSearchParams, now: number): URLSearchParams {
  const after = new URLSearchParams(filters);
  const projectId = search.get('projectId');
  if (projectId !== null) after.set('projectId', projectId);
  if (sinceMinutes !== undefined) after.set('createdAfter', new Date(now - sinceMinutes * MINUTE_MS).toISOString());
  return after;
}

/** The view whose filters the address has; undefined when it has others. */
export const shownView = (views: readonly SavedView[], search: URLSearchParams): SavedView | undefined =>
  views.find(
    ({ filters, sinceMinutes }) =>
      filters === filtersIn(search) && (sinceMinutes === undefined) === (search.get('createdAfter') === null),
  );

/** A view takes the place of one with its name. The oldest makes room for one too many. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...withoutView(views, view.name), view].slice(-MOST_VIEWS);

export const withoutView = (views: readonly SavedView[], name: string): SavedView[] =>
  views.filter((each) => each.name !== name);

/** Reads what was kept. What is no view, because another release or a person wrote it, is left out. */
export function viewsIn(text: string | null): SavedView[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return []; // the text is not JSON
  }
}

function isView(value: unknown): value is SavedView {
  const { name, filters, sinceMinutes } = (value ?? {}) as Record<string, unknown>;
  const isSpan = sinceMinutes === undefined || typeof sinceMinutes === 'number';
  return typeof name === 'string' && typeof filters === 'string' && isSpan;
}

function filtersIn(search: URLSearchParams): string {
  const filters = new URLSearchParams(search);
  for (const name of NOT_KEPT) filters.delete(name);
  filters.sort();
  return filters.toString();
}
