import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { installationQuery } from '../api/installation';
import { ChoiceField, TextAreaField } from '../controls/field';
import { Problem } from '../controls/problem';
import { exactTime } from '../controls/time-words';
import { JsonView } from '../json-view/json-view';
import { readJson } from '../prop-form/json-text';
import { STATUS_WORDS } from '../run-status/run-words';
import styles from './flow-editor.module.css';
import type { Sample } from './sample-requests';
import { newestEventQuery, newestRunsQuery } from './test-requests';
import { words } from './panel-words';

/** Where the data of a test comes from. */
export type TestSource = 'sample' | 'own' | 'caught' | 'run';

/** The sample data of the trigger. */
export const SampleSource = ({ sample }: { sample: Sample | undefined }) =>
  sample ? (
    <JsonView name={words.testSources.sample} value={sample.value} />
  ) : (
    <p className={styles['quiet']}>{words.noTriggerSample}</p>
  );

interface OwnSourceProps {
  isWebhook: boolean;
  text: string;
  onType: (text: string) => void;
}

/** Data that the person writes. */
export const OwnSource = ({ isWebhook, text, onType }: OwnSourceProps) => (
  <TextAreaField
    label={isWebhook ? words.testBody : words.testOutput}
    rows={10}
    spellCheck={false}
    className={styles['mono'] ?? ''}
    problem={readJson(text, 'any').problem}
    value={text}
    onChange={(event) => onType(event.target.value)}
  />
);

interface CaughtSourceProps {
  flowId: string;
  /** Is told of the request that came. */
  caught: { payload: unknown } | null;
  onCatch: (payload: unknown) => void;
}

/** A request that is sent now to the test address of the webhook. */
export function CaughtSource({ flowId, caught, onCatch }: CaughtSourceProps) {
  const { data: installation } = useQuery(installationQuery);
  const { data: newest, error } = useQuery(newestEventQuery(flowId));
  /** The newest that was there when the wait began; null until that is known. */
  const [before, setBefore] = useState<{ id: string | undefined } | null>(null);
  useEffect(() => {
    if (newest === undefined || (before && before.id === newest?.id)) return;
    setBefore({ id: newest?.id });
    if (before && newest) onCatch(newest.payload);
  }, [newest, before, onCatch]);
  const base = installation?.publicUrl.replace(/\/+$/, '') ?? '';
  const address = `${base}/api/v1/webhooks/${flowId}/test`;
  return (
    <>
      <p>{words.sendTo}</p>
      <p className={styles['address']}>{address}</p>
      <p role="status">{caught ? words.caught : words.waitingForRequest}</p>
      {caught && <JsonView name={words.testSources.caught} value={caught.payload} />}
      {error && <Problem error={error} />}
    </>
  );
}

interface RunSourceProps {
  projectId: string;
  flowId: string;
  runId: string;
  onChoose: (runId: string) => void;
}

/** What the trigger of an earlier run gave. */
export function RunSource({ projectId, flowId, runId, onChoose }: RunSourceProps) {
  const { data, error } = useQuery(newestRunsQuery(projectId, flowId));
  const choices = [
    { value: '', label: words.chooseRun },
    ...(data?.data ?? []).map(({ id, status, created }) => ({
      value: id,
      label: `${STATUS_WORDS[status]} · ${exactTime(created)}`,
    })),
  ];
  return (
    <>
      <ChoiceField label={words.run} value={runId} choices={choices} onChoose={onChoose} />
      {data?.data.length === 0 && <p className={styles['quiet']}>{words.noRuns}</p>}
      {error && <Problem error={error} />}
    </>
  );
}
