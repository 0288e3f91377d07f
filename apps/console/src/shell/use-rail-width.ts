import { useState } from 'react';
import { remember, remembered } from '../browser/storage';

const KEY = 'rail';
/** In a narrower window the editor needs the room. On a phone the rail lies above the page. */
const ROOMY = '(min-width: 1200px)';

/** Whether the rail has its names or its icons alone, as it was chosen in this browser, and what changes that. */
export function useRailWidth(): [boolean, () => void] {
  const [isNarrow, setNarrow] = useState(
    () => (remembered(KEY) ?? (matchMedia(ROOMY).matches ? 'wide' : 'narrow')) !== 'wide',
  );
  const toggle = () => {
    remember(KEY, isNarrow ? 'wide' : 'narrow');
    setNarrow(!isNarrow);
  };
  return [isNarrow, toggle];
}
