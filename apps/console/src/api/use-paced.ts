import { useEffect, useRef, useState } from 'react';
import { PacedWork } from './paced-work';

/** Returns a signal for work that begins at once and rests between two times (see PacedWork). */
export function usePaced(work: () => Promise<unknown>, bounds: { leastMs: number; mostMs: number }): () => void {
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  const [paced] = useState(() => new PacedWork(() => latest.current(), bounds));
  useEffect(() => () => paced.stop(), [paced]);
  const [signal] = useState(() => () => paced.signal());
  return signal;
}
