import type { Piece } from '../api/pieces';
import { lazyPart } from '../controls/lazy-part';
import type { View } from '../flow-picture/picture-state';
import type { Place } from '../flow-picture/step';
import { AddStepDialog } from './add-step-dialog';
import type { Draft } from './draft';
import type { DraftStore } from './draft-store';
import { KeysDialog } from './keys-dialog';
import { newStep, newTrigger, type StepKind } from './new-step';
import type { Operation } from './operation';
import { PasteDialog } from './paste-dialog';
import { RenameStepDialog } from './rename-step-dialog';
import { findStep, namesOf } from './step-tree';
import { saveSample } from './test-requests';
import { words } from './panel-words';

const TestDialog = lazyPart(async () => (await import('./test-dialog')).TestDialog, { isOver: true });
const PublishDialog = lazyPart(async () => (await import('./publish-dialog')).PublishDialog, { isOver: true });

export type OpenDialog =
  /** `view` had the focus before, and gets it back with the new step. */
  | { kind: 'add'; place: Place; after: string; view: View }
  | { kind: 'rename'; name: string }
  | { kind: 'paste'; place: Place }
  | { kind: 'trigger' | 'test' | 'publish' | 'keys' };

export interface EditorDialogsProps {
  dialog: OpenDialog;
  draft: Draft;
  store: DraftStore;
  pieces: readonly Piece[];
  onEdit: (operations: Operation[]) => void;
  onPaste: (text: string, place: Place) => void;
  onSelect: (name: string) => void;
  onAdded: (name: string, view: View) => void;
  onTestStarted: (runId: string) => void;
  onClose: () => void;
}

/** The dialog that is open. */
export function EditorDialogs(props: EditorDialogsProps) {
  const { dialog, draft, store, pieces, onEdit, onPaste, onSelect, onAdded, onTestStarted, onClose } = props;
  const { flow } = draft.saved;
  const { trigger } = draft.shown;
  const isSaved = draft.queue.length === 0;
  const select = (name: string) => {
    onClose();
    onSelect(name);
  };
  switch (dialog.kind) {
    case 'add': {
      const add = (kind: StepKind) => {
        const action = newStep(kind, namesOf(trigger));
        onEdit([{ type: 'ADD_ACTION', request: { ...dialog.place, action } }]);
        select(action.name);
        onAdded(action.name, dialog.view);
      };
      const title = words.addStepAfter(dialog.after);
      return <AddStepDialog offered="actions" {...{ title, pieces, onClose }} onChoose={add} />;
    }
    case 'trigger': {
      const replace = (kind: StepKind) => {
        onEdit([{ type: 'UPDATE_TRIGGER', request: newTrigger(kind, trigger) }]);
        onClose();
      };
      const title = words.chooseTrigger;
      return <AddStepDialog offered="triggers" {...{ title, pieces, onClose }} onChoose={replace} />;
    }
    case 'rename': {
      const step = findStep(trigger, dialog.name);
      const { schemaVersion } = flow.version;
      return step && <RenameStepDialog {...{ step, schemaVersion, onEdit, onClose }} flow={draft.shown} />;
    }
    case 'paste':
      return <PasteDialog onPaste={(text) => onPaste(text, dialog.place)} onClose={onClose} />;
    case 'test': {
      const onStarted = (runId: string) => {
        onClose();
        onTestStarted(runId);
      };
      const onPin = (payload: unknown) => store.replace((etag) => saveSample(flow.id, etag, trigger.name, payload));
      return (
        <TestDialog flowId={flow.id} projectId={flow.projectId} {...{ trigger, isSaved, onPin, onStarted, onClose }} />
      );
    }
    case 'publish':
      return <PublishDialog flow={draft.shown} onSelect={select} {...{ store, isSaved, onClose }} />;
    case 'keys':
      return <KeysDialog onClose={onClose} />;
  }
}
