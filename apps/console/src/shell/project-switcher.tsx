import { ChoiceField } from '../controls/field';
import { useProject } from './project';
import styles from './shell.module.css';
import { words } from './words';

/** The project that is looked at, among all. In the narrow rail its first letter stands for it. */
export function ProjectSwitcher() {
  const { projectId, projects, choose } = useProject();
  const choices = projects.map(({ id, displayName }) => ({ value: id, label: displayName }));
  const name = choices.find(({ value }) => value === projectId)?.label ?? '';
  return (
    <div className={styles['project']} data-letter={[...name][0]?.toUpperCase()} title={name}>
      <ChoiceField label={words.project} isLabelHidden value={projectId} choices={choices} onChoose={choose} />
    </div>
  );
}
