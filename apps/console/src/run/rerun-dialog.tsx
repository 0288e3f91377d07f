import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { CheckField, ChoiceField, TextAreaField, TextField } from '../controls/field';
import { Problem } from '../controls/problem';
import { shownText } from '../controls/hidden-characters';
import { RadioGroup } from '../controls/radio-group';
import { iterationsBegun, placeIn, typedInput, type VersionStep } from './rerun-choices';
import { RerunPlan } from './rerun-plan';
import styles from './run-page.module.css';
import { isInParts } from './run-parts';
import {
  rerunPlanQuery,
  rerunRun,
  runStepQuery,
  type RerunRequest,
  type RunDetail,
  type RunVersion,
} from './run-queries';
import { useRunSteps } from './use-run-steps';
import { useTypedIteration } from './use-typed-iteration';
import { words } from './words';

type Version = NonNullable<RerunRequest['version']>;
const VERSIONS: readonly Version[] = ['same', 'latest', 'draft'];
/** A larger input is not put into a field, where it would make the page slow. */
const MOST_EDITED_LETTERS = 1_000_000;

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
  const navigate = useNavigate();
  const [trigger, ...steps] = executed?.steps ?? [];
  const [place, setPlace] = useState<From | null>(from?.name === trigger?.name ? null : from);
  const [version, setVersion] = useState<Version>('same');
  const [text, setText] = useState<string | null>(null);
  const given = useGivenInput(run, trigger);
  const input = typedInput(text);
  const step = steps.find(({ name }) => name === place?.name);
  const request: RerunRequest = {
    version,
    ...(place && { fromStep: place.name }),
    ...(place && place.iterations.length > 0 && { iteration: place.iterations.map((index) => index + 1) }),
  };
  const plan = useQuery(rerunPlanQuery(run.id, request));
  const again = useMutation({
    mutationFn: () =>
      rerunRun(run.id, { ...request, ...(input.kind === 'new' && { input: input.value as RerunRequest['input'] }) }),
    onSuccess: ({ id }) => navigate(`/runs/${id}`),
  });
  const choose = (name: string) => {
    const loops = steps.find((each) => each.name === name)?.loops ?? [];
    setPlace(name === '' ? null : { name, iterations: name === from?.name ? from.iterations : loops.map(() => 0) });
  };
  return (
    <Dialog title={words.rerunRun} isOpen onClose={onClose}>
      <ChoiceField
        label={words.fromStep}
        value={place?.name ?? ''}
        choices={[{ value: '', label: words.theTrigger }, ...steps.map(choiceOf)]}
        onChoose={choose}
      />
      {place && step && step.loops.length > 0 && (
        <Iterations
          {...{ run, step }}
          steps={steps}
          chosen={place.iterations}
          onChoose={(iterations) => setPlace({ ...place, iterations })}
        />
      )}
      <RadioGroup
        name={words.versionToRun}
        choices={VERSIONS.map((value) => ({ value, label: words.versions[value] }))}
        chosen={version}
        onChoose={setVersion}
      />
      <InputField given={given} text={text} onType={setText} problem={input.kind === 'broken' ? input.problem : null} />
      {plan.data && <RerunPlan plan={plan.data} />}
      {plan.isPending && <p role="status">{words.planning}</p>}
      {plan.error && <Problem error={plan.error} />}
      {again.error && <Problem error={again.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          isMain
          disabled={!plan.data || again.isPending || input.kind === 'broken'}
          onClick={() => again.mutate()}
        >
          {words.rerun}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const choiceOf = ({ name, displayName }: VersionStep) => ({ value: name, label: shownText(displayName) });

/** The output of the trigger as text; null where the run does not have it, or too much of it. */
function useGivenInput(run: RunDetail, trigger: VersionStep | undefined): string | null {
  const isRead = isInParts(run) && trigger !== undefined;
  const { data } = useQuery({ ...runStepQuery(run, trigger?.name ?? ''), enabled: isRead });
  const output = isRead ? data?.output : trigger && run.steps?.[trigger.name]?.output;
  if (output === undefined || output === null) return null;
  const text = JSON.stringify(output, null, 2);
  return text.length > MOST_EDITED_LETTERS ? null : text;
}

interface IterationsProps {
  run: RunDetail;
  step: VersionStep;
  steps: readonly VersionStep[];
  /** From 0, the outermost first. */
  chosen: readonly number[];
  onChoose: (iterations: number[]) => void;
}

/** Which iteration of each loop around the step. People count them from 1. */
function Iterations({ run, step, steps, chosen, onChoose }: IterationsProps) {
  const asked = useRunSteps(run, [placeIn(step.loops, chosen)]);
  const begun = iterationsBegun(asked.run.steps ?? {}, step.loops, chosen);
  return (
    <div className={styles['buttons']}>
      {step.loops.map((loop, depth) => (
        <IterationField
          key={loop}
          label={words.iterationOf(
            shownText(steps.find(({ name }) => name === loop)?.displayName ?? loop),
            begun[depth] ?? 0,
          )}
          count={begun[depth] ?? 0}
          index={chosen[depth] ?? 0}
          onChoose={(index) => onChoose(chosen.map((before, at) => (at === depth ? index : before)))}
        />
      ))}
    </div>
  );
}

interface IterationFieldProps {
  label: string;
  count: number;
  /** From 0. */
  index: number;
  onChoose: (index: number) => void;
}

const IterationField = ({ label, count, index, onChoose }: IterationFieldProps) => (
  <TextField label={label} {...useTypedIteration(count, index, onChoose)} />
);

interface InputFieldProps {
  /** What the trigger gave the old run. */
  given: string | null;
  /** What was typed; null while the run is to have the same. */
  text: string | null;
  onType: (text: string | null) => void;
  problem: string | null;
}

function InputField({ given, text, onType, problem }: InputFieldProps) {
  return (
    <>
      <CheckField
        label={words.otherInput}
        isChecked={text !== null}
        onCheck={(isOther) => onType(isOther ? (given ?? '{}') : null)}
      />
      {text !== null && (
        <TextAreaField
          label={words.newInput}
          rows={8}
          spellCheck={false}
          className={styles['exact'] ?? ''}
          problem={problem === null ? null : words.notJson(problem)}
          value={text}
          onChange={({ target }) => onType(target.value)}
        />
      )}
    </>
  );
}
