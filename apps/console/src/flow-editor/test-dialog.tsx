import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { Problem } from '../controls/problem';
import { TextAreaField } from '../controls/field';
import type { Step } from '../flow-picture/step';
import { readJson } from '../prop-form/json-text';
import styles from './flow-editor.module.css';
import { startTestRun } from './flow-requests';
import { words } from './words';

/** What was last given to a test of each flow, until the page is left. */
const lastTexts = new Map<string, string>();

interface TestDialogProps {
  flowId: string;
  trigger: Step;
  /** Whether the service has all that was typed, which is what it runs. */
  isSaved: boolean;
  onStarted: (runId: string) => void;
  onClose: () => void;
}

/** Takes what the trigger is to give, and runs the draft with it. */
export function TestDialog({ flowId, trigger, isSaved, onStarted, onClose }: TestDialogProps) {
  const isWebhook = trigger.settings['pieceName'] === 'webhook';
  const [text, setText] = useState(() => lastTexts.get(flowId) ?? '{}');
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const read = readJson(text, 'any');
  const start = async () => {
    if (read.problem !== null) return;
    setBusy(true);
    try {
      const payload = isWebhook ? { method: 'POST', headers: {}, queryParams: {}, body: read.value } : read.value;
      const run = await startTestRun(flowId, payload);
      onStarted(run.id);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.testFlow} isOpen onClose={onClose}>
      <p>{words.testSays}</p>
      <TextAreaField
        label={isWebhook ? words.testBody : words.testOutput}
        rows={10}
        spellCheck={false}
        className={styles['mono'] ?? ''}
        problem={read.problem}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          lastTexts.set(flowId, event.target.value);
        }}
      />
      {!isSaved && <p role="status">{words.saving}</p>}
      {failure !== null && <Problem error={failure} />}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button isMain disabled={isBusy || !isSaved || read.problem !== null} onClick={() => void start()}>
          {words.testFlow}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
