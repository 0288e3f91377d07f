import { ChoiceField } from '../controls/field';
import { useProject } from './project';
import { words } from './words';

export function ProjectSwitcher() {
  const { projectId, projects, choose } = useProject();
  const choices = projects.map(({ id, displayName }) => ({ value: id, label: displayName }));
  return <ChoiceField label={words.project} isLabelHidden value={projectId} choices={choices} onChoose={choose} />;
}
