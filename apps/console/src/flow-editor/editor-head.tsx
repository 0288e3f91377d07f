import { Pencil1Icon, ResetIcon } from '@radix-ui/react-icons';
import { useState, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { useTakesLong } from '../controls/use-takes-long';
import { canRedo, canUndo, type Draft } from './draft';
import type { DraftStore } from './draft-store';
import styles from './flow-editor.module.css';
import { FlowStatus } from './flow-status';
import { LazyRenameDialog } from './lazy-parts';
import { useIsTyping } from './typing';
import { words } from './words';

interface EditorHeadProps {
  displayName: string;
  draft: Draft;
  store: DraftStore;
  canEdit: boolean;
  /** What can be done with the flow. */
  children: ReactNode;
}

export function EditorHead({ displayName, draft, store, canEdit, children }: EditorHeadProps) {
  const [isRenaming, setRenaming] = useState(false);
  const { flow } = draft.saved;
  const navigate = useNavigate();
  return (
    <header className={styles['head']}>
      <Link className={styles['way']} to={`/flows?${new URLSearchParams({ projectId: flow.projectId }).toString()}`}>
        {words.flows}
      </Link>
      <h1 className={styles['flowName']}>
        <ExactText text={displayName} />
      </h1>
      <Button
        className={styles['bare']}
        aria-label={words.rename}
        title={words.rename}
        disabled={!canEdit}
        onClick={() => setRenaming(true)}
      >
        <Pencil1Icon aria-hidden />
      </Button>
      <FlowStatus draft={draft} store={store} />
      <SavedState draft={draft} />
      <span className={styles['space']} />
      <Button
        aria-label={words.undo}
        aria-keyshortcuts="Control+Z"
        title={words.undoKeys}
        disabled={!canEdit || !canUndo(draft)}
        onClick={() => store.dispatch({ kind: 'undo' })}
      >
        <ResetIcon aria-hidden />
      </Button>
      <Button
        aria-label={words.redo}
        aria-keyshortcuts="Control+Shift+Z"
        title={words.redoKeys}
        disabled={!canEdit || !canRedo(draft)}
        onClick={() => store.dispatch({ kind: 'redo' })}
      >
        <ResetIcon aria-hidden className={styles['mirrored']} />
      </Button>
      <Button onClick={() => navigate(`/flows/${flow.id}/versions`)}>{words.versions}</Button>
      {children}
      {isRenaming && (
        <LazyRenameDialog
          displayName={displayName}
          onRename={(name) =>
            store.dispatch({ kind: 'edit', operations: [{ type: 'CHANGE_NAME', request: { displayName: name } }] })
          }
          onClose={() => setRenaming(false)}
        />
      )}
    </header>
  );
}

function SavedState({ draft: { queue, isSending, trouble, isHistoryLost } }: { draft: Draft }) {
  const isTyping = useIsTyping();
  const isLong = useTakesLong(isSending ? queue[0] : null);
  const unsaved = queue.length + (trouble?.kind === 'refused' ? trouble.refusals.length : 0);
  const saving = isLong ? words.savingLong : words.saving;
  const word = unsaved === 0 && !isTyping ? words.saved : trouble && unsaved > 0 ? words.notSaved(unsaved) : saving;
  return (
    <>
      <span role="status" className={styles['quiet']}>
        {word}
      </span>
      {isHistoryLost && (
        <span role="status" className={styles['quiet']}>
          {words.undoLost}
        </span>
      )}
    </>
  );
}
