import { usePart } from '../code-editor/use-part';
import type { EditorDialogsProps } from './editor-dialogs';
import styles from './flow-editor.module.css';
import { words } from './words';

const loadDialogs = () => import('./editor-dialogs');
const loadMenu = () => import('./step-menu');
const loadRename = () => import('./rename-dialog');
const loadTestRunBar = () => import('./test-run-bar');

/** The dialog that is open. What dialogs are made of is loaded with the first. */
export function LazyDialogs(props: EditorDialogsProps) {
  const dialogs = usePart(loadDialogs);
  return dialogs.state === 'loaded' ? <dialogs.part.EditorDialogs {...props} /> : <Waiting state={dialogs.state} />;
}

export function LazyMenu(props: Parameters<Awaited<ReturnType<typeof loadMenu>>['StepMenu']>[0]) {
  const menu = usePart(loadMenu);
  return menu.state === 'loaded' ? <menu.part.StepMenu {...props} /> : <Waiting state={menu.state} />;
}

export function LazyRenameDialog(props: Parameters<Awaited<ReturnType<typeof loadRename>>['RenameDialog']>[0]) {
  const rename = usePart(loadRename);
  return rename.state === 'loaded' ? <rename.part.RenameDialog {...props} /> : <Waiting state={rename.state} />;
}

export function LazyTestRunBar(props: Parameters<Awaited<ReturnType<typeof loadTestRunBar>>['TestRunBar']>[0]) {
  const bar = usePart(loadTestRunBar);
  return bar.state === 'loaded' ? <bar.part.TestRunBar {...props} /> : <Waiting state={bar.state} />;
}

/** Without an answer of the service, what was asked for cannot be shown. The flow itself stays as it is. */
const Waiting = ({ state }: { state: 'loading' | 'failed' }) =>
  state === 'failed' && (
    <div role="alert" className={styles['banner']}>
      {words.dialogNotLoaded}
    </div>
  );
