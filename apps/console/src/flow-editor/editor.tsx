import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { piecesQuery } from '../api/pieces';
import { Button } from '../controls/button';
import { Canvas } from '../flow-picture/canvas';
import type { CanvasMoves } from '../flow-picture/canvas-moves';
import { Outline } from '../flow-picture/outline';
import type { Picture } from '../flow-picture/picture-context';
import { stepOfRow, usePictureState } from '../flow-picture/picture-state';
import { marksOf, resultsByName } from '../flow-picture/run-marks';
import { placeAfter, type Place, type Step } from '../flow-picture/step';
import { useProject } from '../shell/project';
import { isEditable, withTyped } from './draft';
import type { OpenDialog } from './editor-dialogs';
import { EditorHead } from './editor-head';
import styles from './flow-editor.module.css';
import { testRunQuery, type SavedFlow } from './flow-requests';
import { LazyDialogs, LazyMenu, LazyTestRunBar } from './lazy-parts';
import { LazyStepPanel } from './lazy-step-panel';
import { NoteBody } from './note-body';
import { NotesList } from './notes-list';
import type { Operation } from './operation';
import { placeAtRow } from './step-commands';
import type { OpenMenu } from './step-menu';
import { findStep } from './step-tree';
import { TroubleBanner } from './trouble-banner';
import { useDraft } from './use-draft';
import { useEditorAddress } from './use-editor-address';
import { useEditorClipboard, useEditorKeys } from './use-editor-keys';
import { useNotes } from './use-notes';
import { usePanelFocus } from './use-panel-focus';
import { useStepActions, viewWithFocus } from './use-step-actions';
import { useTestKey } from './use-test-key';
import { words } from './words';

/** The draft of a flow: its picture, and the settings of the selected step. */
export function Editor({ opened }: { opened: SavedFlow }) {
  const { draft, store } = useDraft(opened);
  const { flow } = draft.saved;
  const { selected, select, tab, chooseTab, testRunId, showTestRun } = useEditorAddress();
  const { mayIn } = useProject();
  const { data: pieces } = useQuery(piecesQuery);
  const test = useQuery(testRunQuery(testRunId));
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const [said, say] = useState('');
  const definition = draft.shown;
  const { displayName, trigger, notes } = definition;
  const marks = useMemo(() => marksOf(test.data?.steps ?? {}), [test.data]);
  const results = useMemo(() => resultsByName(test.data?.steps ?? {}), [test.data]);
  const step = findStep(trigger, selected);
  const canEdit = isEditable(draft) && mayIn(flow.projectId, 'WRITE_FLOW');
  const state = usePictureState(trigger, selected);
  const moves = useRef<CanvasMoves>(null);
  const { panel, focusPanel } = usePanelFocus(selected);
  const actions = useStepActions({ store, state, canEdit, say });
  const { addNote, onNote, showNote } = useNotes({ store, canEdit, moves, goToNote: state.goToNote });
  const edit = useCallback(
    (operation: Operation) => store.dispatch({ kind: 'edit', operations: [operation] }),
    [store],
  );
  const startAdding = useCallback(
    (place: Place, after: string) => setDialog({ kind: 'add', place, after, view: viewWithFocus() }),
    [],
  );
  const close = useCallback(() => setDialog(null), []);
  const open = useCallback(
    (name: string, isByKey = false) => {
      select(name);
      if (isByKey) focusPanel(name);
    },
    [select, focusPanel],
  );
  const openMenu = useCallback<NonNullable<Picture['onMenu']>>((target, point) => setMenu({ target, point }), []);
  const addAtCurrent = () => {
    const at = placeAtRow(trigger, state.current);
    if (at && canEdit) startAdding(at.place, at.after);
  };
  useEditorKeys({
    ...actions,
    add: addAtCurrent,
    delete: actions.remove,
    undo: () => store.dispatch({ kind: 'undo' }),
    redo: () => store.dispatch({ kind: 'redo' }),
    rename: () => canEdit && setDialog({ kind: 'rename', name: stepOfRow(state.current) }),
    note: () => canEdit && addNote(moves.current?.middle()),
    menu: () => openMenuAtFocus(trigger, state.current, openMenu),
    zoomIn: () => moves.current?.zoomIn(),
    zoomOut: () => moves.current?.zoomOut(),
    actualSize: () => moves.current?.actualSize(),
    fit: () => moves.current?.fit(),
    help: () => setDialog({ kind: 'keys' }),
    back: () => {
      if (selected !== null && panel.current?.contains(document.activeElement)) return state.goTo(selected, 'canvas');
      if (state.marked.size > 0) return state.mark(new Set());
      return selected !== null && select(null);
    },
  });
  useTestKey(() => setDialog({ kind: 'test' }), true);
  useEditorClipboard({ copied: actions.copied, cut: actions.remove, pasted: (text) => actions.paste(text) });
  const picture: Picture = {
    trigger,
    selected,
    onSelect: open,
    marks,
    onAdd: canEdit ? startAdding : undefined,
    onMove: canEdit ? actions.moveTo : undefined,
    onMenu: openMenu,
    notes,
    onNote: canEdit ? onNote : undefined,
    NoteBody,
  };
  return (
    <>
      <EditorHead displayName={displayName} draft={draft} store={store} canEdit={canEdit}>
        <Button disabled={!canEdit} onClick={() => startAdding(...behind(step ?? trigger))}>
          {words.addStep}
        </Button>
        <Button
          aria-keyshortcuts="Control+Shift+Enter"
          title={words.testFlowKeys}
          onClick={() => setDialog({ kind: 'test' })}
        >
          {words.testFlow}
        </Button>
        <Button isMain disabled={!canEdit} onClick={() => setDialog({ kind: 'publish' })}>
          {words.publish}
        </Button>
        <Button
          aria-label={words.allKeys}
          aria-keyshortcuts="?"
          title={words.keysHint}
          onClick={() => setDialog({ kind: 'keys' })}
        >
          ?
        </Button>
      </EditorHead>
      <TroubleBanner draft={draft} store={store} />
      <div className={styles['body']}>
        <div className={styles['outline']}>
          <Outline {...picture} state={state} />
          <NotesList notes={notes} onShow={showNote} />
        </div>
        <Canvas {...picture} state={state} moves={moves} />
        {step && (
          <div ref={panel} className={styles['slot']}>
            <LazyStepPanel
              key={step.name}
              step={withTyped(step, draft)}
              trigger={trigger}
              savedStep={findStep(flow.version.trigger as Step, step.name)}
              isSaving={draft.isSending}
              isUpToDate={draft.queue.length === 0}
              flowId={flow.id}
              projectId={flow.projectId}
              tab={tab}
              onChooseTab={chooseTab}
              pieces={pieces}
              isEditable={canEdit}
              results={results.get(step.name) ?? []}
              onEdit={edit}
              onChooseTrigger={() => setDialog({ kind: 'trigger' })}
              onClose={() => select(null)}
            />
          </div>
        )}
      </div>
      <div role="status" className={styles['said']}>
        {said}
      </div>
      {testRunId !== null && <LazyTestRunBar run={test.data} error={test.error} onClose={() => showTestRun(null)} />}
      {menu && (
        <LazyMenu
          menu={menu}
          trigger={trigger}
          canEdit={canEdit}
          actions={actions}
          onOpen={(name) => open(name, true)}
          onAdd={startAdding}
          onRename={(name) => setDialog({ kind: 'rename', name })}
          onPaste={(place) => void pasteAt(place, actions.paste, () => setDialog({ kind: 'paste', place }))}
          onNote={addNote}
          onClose={() => setMenu(null)}
        />
      )}
      {dialog && (
        <LazyDialogs
          dialog={dialog}
          draft={draft}
          store={store}
          pieces={pieces ?? []}
          onEdit={actions.edit}
          onPaste={actions.paste}
          onSelect={select}
          onAdded={state.goTo}
          onTestStarted={showTestRun}
          onClose={close}
        />
      )}
    </>
  );
}

const behind = (step: Step): [Place, string] => [placeAfter(step), step.displayName];

/** Browsers may not let a page read the clipboard: then the text is asked for. */
async function pasteAt(place: Place, paste: (text: string, place: Place) => void, ask: () => void): Promise<void> {
  try {
    paste(await navigator.clipboard.readText(), place);
  } catch {
    ask();
  }
}

function openMenuAtFocus(trigger: Step, row: string, open: NonNullable<Picture['onMenu']>): void {
  const { left = 0, bottom = 0 } = document.activeElement?.getBoundingClientRect() ?? {};
  const at = row.includes('/') ? placeAtRow(trigger, row) : null;
  open(at ? { kind: 'place', ...at } : { kind: 'step', name: row }, { x: left + 16, y: bottom });
}
