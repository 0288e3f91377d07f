import { QueryClient } from '@tanstack/react-query';
import { isPassing } from './api-error';

const MOST_RETRIES = 5;
const FRESH_FOR_MS = 2_000;

/** What the page knows of the service. Queries that fail for a while are repeated, those that are refused are not. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_FOR_MS,
      retry: (failures, error) => isPassing(error) && failures < MOST_RETRIES,
    },
  },
});
