import styles from './shell.module.css';
import { words } from './words';

export const Starting = () => (
  <p role="status" className={styles['alone']}>
    {words.starting}
  </p>
);
