import { useEffect, useState } from 'react';

const LONG_MS = 10_000;

/** Whether the same thing has been waited for so long that a person wants to know whether anything still happens. */
export function useTakesLong(waitedFor: object | null | undefined): boolean {
  const [late, setLate] = useState<object | null>(null);
  useEffect(() => {
    if (!waitedFor) return undefined;
    const timer = setTimeout(() => setLate(waitedFor), LONG_MS);
    return () => clearTimeout(timer);
  }, [waitedFor]);
  return late !== null && late === waitedFor;
}
