import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { Button } from '../controls/button';
import { Canvas } from '../flow-picture/canvas';
import { Outline } from '../flow-picture/outline';
import { marksOf, resultsByName } from '../flow-picture/run-marks';
import { placeAfter, type Place, type Step } from '../flow-picture/step';
import { AddStepDialog } from './add-step-dialog';
import { isEditable, withTyped } from './draft';
import { EditorHead } from './editor-head';
import styles from './flow-editor.module.css';
import { piecesQuery, saveSample, testRunQuery, type SavedFlow } from './flow-requests';
import { LazyStepPanel } from './lazy-step-panel';
import { newStep, newTrigger, stepKinds, triggerKinds, type StepKind } from './new-step';
import type { Operation } from './operation';
import { findStep, namesOf } from './step-tree';
import { TestRunBar } from './test-run-bar';
import { TroubleBanner } from './trouble-banner';
import { useDraft } from './use-draft';
import { useEditorAddress } from './use-editor-address';
import { useEditorKeys } from './use-editor-keys';
import { useTestKey } from './use-test-key';
import { words } from './words';

const TestDialog = lazy(async () => ({ default: (await import('./test-dialog')).TestDialog }));
const PublishDialog = lazy(async () => ({ default: (await import('./publish-dialog')).PublishDialog }));

type OpenDialog = { kind: 'add'; place: Place; after: string } | { kind: 'trigger' | 'test' | 'publish' };

/** The draft of a flow: its picture, and the settings of the selected step. */
export function Editor({ opened }: { opened: SavedFlow }) {
  const { draft, store } = useDraft(opened);
  const { flow } = draft.saved;
  const { selected, select, tab, chooseTab, testRunId, showTestRun } = useEditorAddress();
  const { data: pieces } = useQuery(piecesQuery(flow.projectId));
  const test = useQuery(testRunQuery(testRunId));
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const definition = draft.shown;
  const { displayName, trigger } = definition;
  const marks = useMemo(() => marksOf(test.data?.steps ?? {}), [test.data]);
  const results = useMemo(() => resultsByName(test.data?.steps ?? {}), [test.data]);
  const step = findStep(trigger, selected);
  const canEdit = isEditable(draft);
  const isSaved = draft.queue.length === 0;
  const edit = useCallback(
    (operation: Operation) => store.dispatch({ kind: 'edit', operations: [operation] }),
    [store],
  );
  const startAdding = useCallback((place: Place, after: string) => setDialog({ kind: 'add', place, after }), []);
  const close = useCallback(() => setDialog(null), []);
  useEditorKeys(store);
  useTestKey(() => setDialog({ kind: 'test' }), true);

  const add = (kind: StepKind, place: Place) => {
    const action = newStep(kind, namesOf(trigger));
    edit({ type: 'ADD_ACTION', request: { ...place, action } });
    close();
    select(action.name);
  };
  const replaceTrigger = (kind: StepKind) => {
    edit({ type: 'UPDATE_TRIGGER', request: newTrigger(kind, trigger) });
    close();
  };
  const picture = { trigger, selected, marks, onSelect: select, onAdd: canEdit ? startAdding : undefined };
  return (
    <>
      <EditorHead displayName={displayName} draft={draft} store={store}>
        <Button disabled={!canEdit} onClick={() => startAdding(...behind(step ?? trigger))}>
          {words.addStep}
        </Button>
        <Button title={words.testFlowKeys} onClick={() => setDialog({ kind: 'test' })}>
          {words.testFlow}
        </Button>
        <Button isMain disabled={!canEdit} onClick={() => setDialog({ kind: 'publish' })}>
          {words.publish}
        </Button>
      </EditorHead>
      <TroubleBanner draft={draft} store={store} />
      <div className={styles['body']}>
        <div className={styles['outline']}>
          <Outline {...picture} />
        </div>
        <Canvas {...picture} />
        {step && (
          <LazyStepPanel
            key={step.name}
            step={withTyped(step, draft)}
            trigger={trigger}
            isSaved={findStep(flow.version.trigger as Step, step.name) !== null}
            isUpToDate={isSaved}
            flowId={flow.id}
            projectId={flow.projectId}
            tab={tab}
            onChooseTab={chooseTab}
            pieces={pieces?.data}
            isEditable={canEdit}
            results={results.get(step.name) ?? []}
            onEdit={edit}
            onChooseTrigger={() => setDialog({ kind: 'trigger' })}
            onClose={() => select(null)}
          />
        )}
      </div>
      {testRunId !== null && <TestRunBar run={test.data} error={test.error} onClose={() => showTestRun(null)} />}
      {dialog?.kind === 'add' && (
        <AddStepDialog
          title={words.addStepAfter(dialog.after)}
          kinds={stepKinds(pieces?.data ?? [])}
          onChoose={(kind) => add(kind, dialog.place)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'trigger' && (
        <AddStepDialog
          title={words.chooseTrigger}
          kinds={triggerKinds(pieces?.data ?? [])}
          onChoose={replaceTrigger}
          onClose={close}
        />
      )}
      {dialog?.kind === 'test' && (
        <Suspense>
          <TestDialog
            flowId={flow.id}
            projectId={flow.projectId}
            trigger={trigger}
            isSaved={isSaved}
            onPin={(payload) => store.replace((etag) => saveSample(flow.id, etag, trigger.name, payload))}
            onStarted={(runId) => {
              close();
              showTestRun(runId);
            }}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog?.kind === 'publish' && (
        <Suspense>
          <PublishDialog
            flow={definition}
            store={store}
            isSaved={isSaved}
            onSelect={(name) => {
              close();
              select(name);
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}

const behind = (step: Step): [Place, string] => [placeAfter(step), step.displayName];
