import type { Schemas } from '../api/client';
import { ExactText } from '../controls/exact-text';
import styles from './run-page.module.css';
import { words } from './words';

/** Which steps with an effect may run, and what is reused. */
export const RerunPlan = ({ plan: { steps, keptSteps } }: { plan: Schemas['RerunPlan'] }) => (
  <div role="status">
    <p>{words.plan(steps.length, keptSteps)}</p>
    <ul className={styles['effects']}>
      {steps.map(({ stepName, displayName, ranBefore }) => (
        <li key={stepName}>
          <ExactText text={displayName} />
          {ranBefore && <span className={styles['quiet']}> ({words.ranBefore})</span>}
        </li>
      ))}
    </ul>
  </div>
);
