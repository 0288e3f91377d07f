import { Cross2Icon, EnterFullScreenIcon, ExitFullScreenIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import type { Piece } from '../api/pieces';
import { remember, remembered } from '../browser/storage';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { Tabs } from '../controls/tabs';
import { DataPicker } from '../data-picker/data-picker';
import { ExpressionContext } from '../expression-field/expression-context';
import type { StepResult as Result } from '../flow-picture/run-marks';
import type { Step } from '../flow-picture/step';
import styles from './flow-editor.module.css';
import { OnFailure } from './on-failure';
import type { Operation } from './operation';
import { StepSettings } from './step-settings';
import { StepTest } from './step-test';
import { bare } from './step-tree';
import { useTestKey } from './use-test-key';
import { useTyped } from './use-typed';
import { useStepSurroundings } from './use-surroundings';
import { words } from './panel-words';

/** Under which this browser remembers that the panel is wide. */
const WIDE = 'widePanel';

export type StepTab = 'settings' | 'test' | 'failure';

export interface StepPanelProps {
  step: Step;
  /** The flow as it is shown. */
  trigger: Step;
  /** The step as the service has it; null before it has. */
  savedStep: Step | null;
  /** Whether a change of the flow is on its way. */
  isSaving: boolean;
  /** Whether the service has the flow as it is shown. */
  isUpToDate: boolean;
  flowId: string;
  projectId: string;
  /** Undefined while they are read. */
  pieces: readonly Piece[] | undefined;
  isEditable: boolean;
  /** What the step did in the test. */
  results: readonly Result[];
  tab: StepTab;
  onChooseTab: (tab: StepTab) => void;
  onEdit: (operation: Operation) => void;
  onChooseTrigger: () => void;
  onClose: () => void;
}

/** The settings of a step. What is typed is one change of the step, which is made when the person pauses. */
export function StepPanel(props: StepPanelProps) {
  const { step, trigger, savedStep, flowId, tab, onChooseTab, onEdit } = props;
  const isSaved = savedStep !== null;
  const isTrigger = step.name === trigger.name;
  const [isWide, setWide] = useState(() => remembered(WIDE) !== null);
  const { surroundings, steps } = useStepSurroundings({ flowId, trigger, stepName: step.name, isSaved });
  const { value, type, flush } = useTyped(bare(step), (request) =>
    onEdit(isTrigger ? { type: 'UPDATE_TRIGGER', request } : { type: 'UPDATE_ACTION', request }),
  );
  const [asked, setAsked] = useState(0);
  useTestKey(() => {
    flush();
    onChooseTab('test');
    setAsked((before) => before + 1);
  });
  const widen = () => {
    remember(WIDE, isWide ? null : 'yes');
    setWide(!isWide);
  };
  const typed = { step: value, isTrigger, onType: type };
  const canFail = step.type === 'CODE' || step.type === 'PIECE';
  const tabs = [
    { id: 'settings', name: words.settings, content: () => <Settings {...props} {...typed} /> },
    {
      id: 'test',
      name: words.test,
      content: () => <StepTest {...props} {...{ stepName: step.name, isTrigger, asked }} />,
    },
    ...(canFail
      ? [{ id: 'failure', name: words.errorHandling, content: () => <Failure {...props} {...typed} /> }]
      : []),
  ];
  return (
    <ExpressionContext value={surroundings}>
      <aside aria-label={words.stepSettings} className={styles['panel']} data-wide={isWide || undefined} onBlur={flush}>
        <PanelHead name={value.displayName} isWide={isWide} onWiden={widen} onClose={props.onClose} />
        <div className={styles['panelBody']}>
          <Tabs
            name={words.stepSettings}
            tabs={tabs}
            chosen={tabs.some(({ id }) => id === tab) ? tab : 'settings'}
            onChoose={(id) => onChooseTab(id as StepTab)}
          />
        </div>
        {!isTrigger && tab === 'settings' && (
          <DataPicker
            steps={steps}
            onChoose={(path) => {
              surroundings.target.current?.insert(path);
              return surroundings.target.current !== null;
            }}
          />
        )}
      </aside>
    </ExpressionContext>
  );
}

interface PanelHeadProps {
  name: string;
  isWide: boolean;
  onWiden: () => void;
  onClose: () => void;
}

const PanelHead = ({ name, isWide, onWiden, onClose }: PanelHeadProps) => (
  <header className={styles['panelHead']}>
    <h2>{name}</h2>
    <span className={styles['panelTools']}>
      <Button
        className={styles['bare']}
        aria-label={words.wide}
        aria-pressed={isWide}
        title={words.wide}
        onClick={onWiden}
      >
        {isWide ? <ExitFullScreenIcon aria-hidden /> : <EnterFullScreenIcon aria-hidden />}
      </Button>
      <Button className={styles['bare']} aria-label={words.close} title={words.close} onClick={onClose}>
        <Cross2Icon aria-hidden />
      </Button>
    </span>
  </header>
);

interface TypedProps extends StepPanelProps {
  isTrigger: boolean;
  onType: (step: Step) => void;
}

function Settings(props: TypedProps) {
  const { step, isTrigger, isEditable, onType, onEdit, onClose, onChooseTrigger } = props;
  const { flowId, projectId, pieces, savedStep, isSaving, results } = props;
  const names = [step.name];
  return (
    <fieldset disabled={!isEditable} className={styles['fields']}>
      <TextField
        label={words.displayName}
        value={step.displayName}
        onChange={(event) => onType({ ...step, displayName: event.target.value })}
      />
      <p className={styles['quiet']}>{words.stepName(step.name)}</p>
      {isTrigger && (
        <div>
          <Button onClick={onChooseTrigger}>{words.chooseTrigger}</Button>
        </div>
      )}
      <StepSettings
        {...{ step, flowId, projectId, pieces, savedStep, isSaving, isEditable, results, onEdit }}
        onChange={(settings) => onType({ ...step, settings })}
      />
      {!isTrigger && (
        <div className={styles['stepActions']}>
          <Button onClick={() => onEdit({ type: 'DUPLICATE_ACTION', request: { stepName: step.name } })}>
            {words.duplicate}
          </Button>
          <Button onClick={() => onEdit({ type: 'SET_SKIP_ACTION', request: { names, skip: !step.skip } })}>
            {step.skip ? words.doNotSkip : words.skip}
          </Button>
          <Button
            onClick={() => {
              onClose();
              onEdit({ type: 'DELETE_ACTION', request: { names } });
            }}
          >
            {words.delete}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

const Failure = ({ step, isEditable, onType }: TypedProps) => (
  <fieldset disabled={!isEditable} className={styles['fields']}>
    <OnFailure settings={step.settings} onChange={(settings) => onType({ ...step, settings })} />
  </fieldset>
);
