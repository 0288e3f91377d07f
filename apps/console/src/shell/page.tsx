import type { ReactNode } from 'react';
import { ExactText } from '../controls/exact-text';
import { shownText } from '../controls/hidden-characters';
import styles from './shell.module.css';
import { titleOf } from './words';

interface PageProps {
  /** The name of the page, which is its heading and the title of the tab. */
  name: string;
  /** What can be done on the page, beside its heading. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page below the shell: one `main` with one `h1`. */
export const Page = ({ name, actions, children }: PageProps) => (
  <main id="content" tabIndex={-1} className={styles['page']}>
    <title>{titleOf(shownText(name))}</title>
    <header className={styles['pageHead']}>
      <h1>
        <ExactText text={name} />
      </h1>
      {actions && <div className={styles['pageActions']}>{actions}</div>}
    </header>
    {children}
  </main>
);
