import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { ChoiceField } from '../controls/field';
import { Problem } from '../controls/problem';
import { RadioGroup } from './radio-group';
import styles from './run-page.module.css';
import { rerunPlanQuery, rerunRun, type RerunRequest, type RunDetail, type RunVersion } from './run-queries';
import { words } from './words';

type Version = NonNullable<RerunRequest['version']>;
const VERSIONS: readonly Version[] = ['same', 'latest', 'draft'];

/** A step to run again from, and the iterations around it, from 0. */
interface From {
  name: string;
  iterations: readonly number[];
}

interface RerunProps {
  run: RunDetail;
  version?: RunVersion;
  /** Where to begin unless the person chooses otherwise; null is the trigger. */
  from: From | null;
}

export function RerunButton(props: RerunProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{props.from ? words.rerunHere : words.rerun}</Button>
      {isOpen && <RerunDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Shows which effects happen again before it runs again. */
function RerunDialog({ run, version: executed, from, onClose }: RerunProps & { onClose: () => void }) {
  const steps = executed?.steps ?? [];
  const navigate = useNavigate();
  const trigger = steps[0]?.name;
  const [step, setStep] = useState(from && from.name !== trigger ? from.name : '');
  const [version, setVersion] = useState<Version>('same');
  const iterations = from?.name === step ? from.iterations : [];
  const request: RerunRequest = {
    version,
    ...(step !== '' && { fromStep: step }),
    ...(iterations.length > 0 && { iteration: iterations.map((index) => index + 1) }),
  };
  const plan = useQuery(rerunPlanQuery(run.id, request));
  const again = useMutation({
    mutationFn: () => rerunRun(run.id, request),
    onSuccess: ({ id }) => navigate(`/runs/${id}`),
  });
  const where = iterations.length > 0 ? `, ${words.inIterations(iterations)}` : '';
  const choices = steps
    .filter(({ name }) => name !== trigger)
    .map(({ name, displayName }) => ({ value: name, label: displayName + (name === from?.name ? where : '') }));
  return (
    <Dialog title={words.rerunRun} isOpen onClose={onClose}>
      <ChoiceField
        label={words.fromStep}
        value={step}
        choices={[{ value: '', label: words.theTrigger }, ...choices]}
        onChoose={setStep}
      />
      <RadioGroup
        name={words.versionToRun}
        choices={VERSIONS.map((value) => ({ value, label: words.versions[value] }))}
        chosen={version}
        onChoose={setVersion}
      />
      {plan.data && <Plan plan={plan.data} />}
      {plan.isPending && <p role="status">{words.planning}</p>}
      {plan.error && <Problem error={plan.error} />}
      {again.error && <Problem error={again.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button isMain disabled={!plan.data || again.isPending} onClick={() => again.mutate()}>
          {words.rerun}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const Plan = ({ plan: { steps, keptSteps } }: { plan: { steps: Effect[]; keptSteps: number } }) => (
  <div role="status">
    <p>{words.plan(steps.length, keptSteps)}</p>
    <ul className={styles['effects']}>
      {steps.map(({ stepName, displayName, ranBefore }) => (
        <li key={stepName}>
          {displayName}
          {ranBefore && <span className={styles['quiet']}> ({words.ranBefore})</span>}
        </li>
      ))}
    </ul>
  </div>
);

interface Effect {
  stepName: string;
  displayName: string;
  ranBefore: boolean;
}
