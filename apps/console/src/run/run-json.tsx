import { saveFile } from '../browser/save-file';
import { Button } from '../controls/button';
import { JsonView } from '../json-view/json-view';
import styles from './run-page.module.css';
import type { RunDetail } from './run-queries';
import { words } from './words';

/** The run as the API gives it. */
export const RunJson = ({ run }: { run: RunDetail }) => (
  <div className={styles['file']}>
    <div>
      <Button onClick={() => saveFile(`${run.id}.json`, JSON.stringify(run, null, 2))}>{words.downloadRun}</Button>
    </div>
    <JsonView name={words.run} value={run} />
  </div>
);
