import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { Status, type Tone } from '../controls/status';
import { durationWords } from '../controls/time-words';
import type { StepResult as Result } from '../flow-picture/run-marks';
import { JsonView } from '../json-view/json-view';
import styles from './flow-editor.module.css';
import { StepResult } from './step-result';
import { testStep, testTrigger, type StepTest as Test, type TriggerTest } from './test-requests';
import { useIsTyping } from './typing';
import { words } from './panel-words';

interface StepTestProps {
  flowId: string;
  stepName: string;
  isTrigger: boolean;
  /** Whether the service has the flow as it is shown, which is what it tests. */
  isUpToDate: boolean;
  /** Counts how often the test was asked for by the keyboard. */
  asked: number;
  /** What the step did in the last test of the whole flow. */
  results: readonly Result[];
}

/** Tests one step alone, and shows what it was given and gave. */
export function StepTest({ flowId, stepName, isTrigger, isUpToDate, asked, results }: StepTestProps) {
  const isTyping = useIsTyping();
  const step = useMutation({ mutationFn: () => testStep(flowId, stepName), gcTime: 0 });
  const trigger = useMutation({ mutationFn: () => testTrigger(flowId), gcTime: 0 });
  const { mutate, isPending, error } = isTrigger ? trigger : step;
  const isReady = isUpToDate && !isTyping && !isPending;
  const [done, setDone] = useState(0);
  useEffect(() => {
    if (asked <= done || !isReady) return;
    setDone(asked);
    mutate();
  }, [asked, done, isReady, mutate]);
  return (
    <div className={styles['fields']}>
      <p>{isTrigger ? words.testTriggerSays : words.testStepSays}</p>
      <div>
        <Button isMain disabled={!isReady} title={words.testKeys} onClick={() => mutate()}>
          {isTrigger ? words.testTrigger : words.testStep}
        </Button>
      </div>
      <p role="status" className={styles['quiet']}>
        {isPending ? words.testing : isUpToDate ? '' : words.saving}
      </p>
      {error && <Problem error={error} />}
      {!isTrigger && step.data && <TestedStep test={step.data} />}
      {isTrigger && trigger.data && <TestedTrigger test={trigger.data} />}
      <StepResult name={stepName} results={results} />
    </div>
  );
}

const TONES: Record<Test['status'], Tone> = { SUCCEEDED: 'good', FAILED: 'bad', RUNNING: 'runs' };

function TestedStep({ test }: { test: Test }) {
  const { status, input, output, errorMessage, logs = [], duration } = test;
  const length = duration === undefined ? '' : ` ${words.in(durationWords(duration))}`;
  return (
    <section aria-label={words.stepTested} className={styles['result']}>
      <h3>{words.stepTested}</h3>
      <Status tone={TONES[status]} word={`${words.testStatus[status]}${length}`} />
      {errorMessage !== undefined && <p className={styles['failure']}>{errorMessage}</p>}
      {input !== undefined && <Value name={words.resultInput} value={input} />}
      {output !== undefined && <Value name={words.resultOutput} value={output} />}
      {logs.length > 0 && (
        <div>
          <h4>{words.resultLogs}</h4>
          <pre className={styles['json']} tabIndex={0}>
            {logs.join('\n')}
          </pre>
        </div>
      )}
    </section>
  );
}

function TestedTrigger({ test: { items, message } }: { test: TriggerTest }) {
  return (
    <section aria-label={words.triggerTested} className={styles['result']}>
      <h3>{words.triggerTested}</h3>
      {message !== null && <p>{message}</p>}
      {items.length > 0 && <Value name={words.newestItem(items.length)} value={items[0]} />}
    </section>
  );
}

const Value = ({ name, value }: { name: string; value: unknown }) => (
  <div>
    <h4>{name}</h4>
    <JsonView name={name} value={value} />
  </div>
);
