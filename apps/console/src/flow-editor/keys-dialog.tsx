import { Dialog } from '../controls/dialog';
import styles from './flow-editor.module.css';
import { words } from './panel-words';

/** All keys of the editor. */
export const KeysDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={words.allKeys} isOpen onClose={onClose}>
    <div className={styles['keys']} tabIndex={0} role="region" aria-label={words.allKeys}>
      {words.keys.map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {keys.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
);
