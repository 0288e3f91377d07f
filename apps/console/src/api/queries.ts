import { focusManager, QueryClient } from '@tanstack/react-query';
import { onWakeUp } from '../browser/wake-up';
import { isPassing } from './api-error';
import { withEqualParts } from './equal-parts';

// What is on the screen is asked for again when it may be old.
focusManager.setEventListener((ask) => onWakeUp(() => ask()));

/** A third failure is shown. By then about three seconds have passed. */
const MOST_RETRIES = 2;
const AGAIN_AFTER_MS = 5_000;
const FRESH_FOR_MS = 2_000;

/**
 * What the page knows of the service. Queries that fail for a while are repeated, also after their failure is shown, so
 * that the page goes on by itself. Those that are refused are not.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_FOR_MS,
      structuralSharing: withEqualParts,
      retry: (failures, error) => isPassing(error) && failures < MOST_RETRIES,
      refetchInterval: ({ state: { error } }) => isPassing(error) && AGAIN_AFTER_MS,
    },
  },
});

/**
 * Shows the last answer until the one for other filters is there, but nothing of another project. The keys of queries
 * are [what, projectId, …].
 */
export const keptWithin =
  (projectId: string) =>
  <T>(before: T | undefined, query: { queryKey: readonly unknown[] } | undefined): T | undefined =>
    query?.queryKey[1] === projectId ? before : undefined;
