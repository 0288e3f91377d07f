import { PartNotLoaded } from '../controls/lazy-part';
import { usePart } from '../controls/use-part';
import styles from './flow-editor.module.css';
import type { StepPanelProps } from './step-panel';
import { words } from './words';

const loadPanel = () => import('./step-panel');

/** The settings of the selected step. What its forms are made of is loaded with the first selection. */
export function LazyStepPanel(props: StepPanelProps) {
  const panel = usePart(loadPanel);
  if (panel.state === 'loaded') return <panel.part.StepPanel {...props} />;
  return (
    <aside aria-label={words.stepSettings} className={styles['panel']}>
      <header className={styles['panelHead']}>
        <h2>{props.step.displayName}</h2>
      </header>
      {panel.state === 'loading' ? <p role="status">{words.loadingSettings}</p> : <PartNotLoaded again={panel.again} />}
    </aside>
  );
}
