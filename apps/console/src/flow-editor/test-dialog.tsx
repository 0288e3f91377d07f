import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { CheckField, ChoiceField } from '../controls/field';
import { Problem } from '../controls/problem';
import type { Step } from '../flow-picture/step';
import { readJson } from '../prop-form/json-text';
import { samplesQuery } from './sample-requests';
import { startTestRun, triggerOutputOf } from './test-requests';
import { CaughtSource, OwnSource, RunSource, SampleSource, type TestSource } from './test-sources';
import { useIsTyping } from './typing';
import { words } from './panel-words';

/** What was last given to a test of each flow, until the page is left. */
const lastTexts = new Map<string, string>();

interface TestDialogProps {
  flowId: string;
  projectId: string;
  trigger: Step;
  /** Whether the service has all that was typed, which is what it runs. */
  isSaved: boolean;
  /** Keeps what was written as the sample data of the trigger. */
  onPin: (payload: unknown) => Promise<void>;
  onStarted: (runId: string) => void;
  onClose: () => void;
}

/** Takes what the trigger is to give, and runs the draft with it. */
export function TestDialog(props: TestDialogProps) {
  const { flowId, projectId, trigger, onPin, onStarted, onClose } = props;
  const isWebhook = trigger.settings['pieceName'] === 'webhook';
  const isTyping = useIsTyping();
  const isSaved = props.isSaved && !isTyping;
  const { data: samples } = useQuery(samplesQuery(flowId));
  const sample = samples?.outputs.get(trigger.name);
  const [chosen, choose] = useState<TestSource | null>(null);
  const source = chosen ?? (sample && !lastTexts.has(flowId) ? 'sample' : 'own');
  const [text, setText] = useState(() => lastTexts.get(flowId) ?? '{}');
  const [isPinned, setPinned] = useState(false);
  const [caught, setCaught] = useState<{ payload: unknown } | null>(null);
  const [runId, setRunId] = useState('');
  const written = readJson(text, 'any');
  const canStart = { sample: true, own: written.problem === null, caught: caught !== null, run: runId !== '' }[source];

  const start = useMutation({
    mutationFn: async () => {
      if (source === 'sample') return startTestRun(flowId, undefined);
      if (source === 'caught') return startTestRun(flowId, caught?.payload);
      if (source === 'run') return startTestRun(flowId, await triggerOutputOf(runId, trigger.name));
      const value = written.problem === null ? written.value : null;
      const payload = isWebhook ? { method: 'POST', headers: {}, queryParams: {}, body: value } : value;
      if (isPinned) await onPin(payload);
      return startTestRun(flowId, payload);
    },
    onSuccess: ({ id }) => onStarted(id),
    gcTime: 0,
  });
  const type = (typed: string) => {
    setText(typed);
    lastTexts.set(flowId, typed);
  };
  const sources = (['sample', 'own', ...(isWebhook ? (['caught'] as const) : []), 'run'] as const).map((value) => ({
    value,
    label: words.testSources[value],
  }));
  return (
    <Dialog title={words.testFlow} isOpen onClose={onClose}>
      <p>{words.testSays}</p>
      <ChoiceField
        label={words.testWith}
        value={source}
        choices={sources}
        onChoose={(value) => choose(value as TestSource)}
      />
      {source === 'sample' && <SampleSource sample={sample} />}
      {source === 'own' && (
        <>
          <OwnSource isWebhook={isWebhook} text={text} onType={type} />
          <CheckField label={words.pin} isChecked={isPinned} onCheck={setPinned} />
        </>
      )}
      {source === 'caught' && (
        <CaughtSource flowId={flowId} caught={caught} onCatch={(payload) => setCaught({ payload })} />
      )}
      {source === 'run' && <RunSource {...{ projectId, flowId, runId }} onChoose={setRunId} />}
      {!isSaved && <p role="status">{words.saving}</p>}
      {start.error && <Problem error={start.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button isMain disabled={start.isPending || !isSaved || !canStart} onClick={() => start.mutate()}>
          {words.testFlow}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
