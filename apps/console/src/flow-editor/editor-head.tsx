import { Link } from 'react-router';
import { Status } from '../controls/status';
import styles from './flow-editor.module.css';
import type { Flow } from './flow-requests';
import { words } from './words';

export const EditorHead = ({ flow }: { flow: Flow }) => (
  <header className={styles['head']}>
    <Link to="/flows">{words.flows}</Link>
    <h1 className={styles['flowName']}>{flow.version.displayName}</h1>
    <FlowStatus flow={flow} />
  </header>
);

function FlowStatus({ flow }: { flow: Flow }) {
  if (flow.status === 'ENABLED') return <Status tone="good" word={words.enabled} />;
  return <Status tone="idle" word={flow.publishedVersionId === null ? words.draft : words.disabled} />;
}
