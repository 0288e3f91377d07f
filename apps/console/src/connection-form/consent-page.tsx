import { useEffect, useState } from 'react';
import { titleOf } from '../shell/words';
import styles from '../shell/shell.module.css';
import { handOver } from './consent';
import { words } from './words';

/** Where a provider sends a person back to. It hands the code over to the window that asked for it, and closes. */
export function ConsentPage() {
  const [search] = useState(() => new URLSearchParams(window.location.search));
  const isGiven = search.get('code') !== null;
  useEffect(() => {
    // The code does not stay in the history of the browser.
    window.history.replaceState(null, '', window.location.pathname);
    if (handOver(search)) window.close();
  }, [search]);
  return (
    <main className={styles['alone']}>
      <title>{titleOf(words.consent)}</title>
      <h1>{words.consent}</h1>
      <p role="status">{isGiven ? words.consentGiven : words.consentRefused}</p>
    </main>
  );
}
