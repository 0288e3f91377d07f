import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { Canvas } from '../flow-picture/canvas';
import { Outline } from '../flow-picture/outline';
import { placeAfter, type Place } from '../flow-picture/step';
import { AddStepDialog } from './add-step-dialog';
import { isEditable, shown, withTyped } from './draft';
import { EditorHead } from './editor-head';
import styles from './flow-editor.module.css';
import { piecesQuery, type SavedFlow } from './flow-requests';
import { newStep, newTrigger, stepKinds, triggerKinds, type StepKind } from './new-step';
import type { Operation } from './operation';
import { StepPanel } from './step-panel';
import { findStep, namesOf } from './step-tree';
import { TroubleBanner } from './trouble-banner';
import { useDraft } from './use-draft';
import { useEditorKeys } from './use-editor-keys';
import { words } from './words';

/** What is being added, and where. */
type Adding = { place: Place; after: string } | 'trigger';

/** The draft of a flow: its picture, and the settings of the selected step, which is in the address. */
export function Editor({ opened }: { opened: SavedFlow }) {
  const { draft, store } = useDraft(opened);
  const { flow } = draft.saved;
  const { data: pieces } = useQuery(piecesQuery(flow.projectId));
  const [adding, setAdding] = useState<Adding | null>(null);
  const [search, setSearch] = useSearchParams();
  const { displayName, trigger } = useMemo(() => shown(draft), [draft]);
  const selected = search.get('step');
  const step = findStep(trigger, selected);
  const canEdit = isEditable(draft);
  const select = useCallback((name: string | null) => setSearch(name === null ? {} : { step: name }), [setSearch]);
  const edit = useCallback((operation: Operation) => store.dispatch({ kind: 'edit', operation }), [store]);
  const startAdding = useCallback((place: Place, after: string) => setAdding({ place, after }), []);
  useEditorKeys(store);

  const add = (kind: StepKind) => {
    setAdding(null);
    if (adding === 'trigger') return edit({ type: 'UPDATE_TRIGGER', request: newTrigger(kind, trigger) });
    if (!adding) return undefined;
    const action = newStep(kind, namesOf(trigger));
    edit({ type: 'ADD_ACTION', request: { ...adding.place, action } });
    return select(action.name);
  };
  const onAdd = canEdit ? startAdding : undefined;
  return (
    <>
      <EditorHead displayName={displayName} draft={draft} store={store}>
        <Button disabled={!canEdit} onClick={() => startAdding(...atEndOf(step ?? trigger))}>
          {words.addStep}
        </Button>
      </EditorHead>
      <TroubleBanner draft={draft} store={store} />
      <div className={styles['body']}>
        <div className={styles['outline']}>
          <Outline trigger={trigger} selected={selected} onSelect={select} onAdd={onAdd} />
        </div>
        <Canvas trigger={trigger} selected={selected} onSelect={select} onAdd={onAdd} />
        {step && (
          <StepPanel
            key={step.name}
            step={withTyped(step, draft)}
            isTrigger={step === trigger}
            flowId={flow.id}
            pieces={pieces?.data}
            isEditable={canEdit}
            onEdit={edit}
            onChooseTrigger={() => setAdding('trigger')}
            onClose={() => select(null)}
          />
        )}
      </div>
      {adding && (
        <AddStepDialog
          title={adding === 'trigger' ? words.chooseTrigger : words.addStepAfter(adding.after)}
          kinds={adding === 'trigger' ? triggerKinds(pieces?.data ?? []) : stepKinds(pieces?.data ?? [])}
          onChoose={add}
          onClose={() => setAdding(null)}
        />
      )}
    </>
  );
}

const atEndOf = (step: Parameters<typeof placeAfter>[0]): [Place, string] => [placeAfter(step), step.displayName];
