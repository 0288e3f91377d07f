import { useMemo } from 'react';
import { answerOf, POST } from '../api/client';
import type { Piece } from '../api/pieces';
import { lazyPart } from '../controls/lazy-part';
import { Problem } from '../controls/problem';
import type { Step } from '../flow-picture/step';
import { JsonField } from '../prop-form/json-field';
import { OptionsContext, type OptionsSource } from '../prop-form/options-context';
import { PropForm, withValue } from '../prop-form/prop-form';
import { isObject } from '../prop-form/rows';
import { ConnectionField } from './connection-field';
import styles from './flow-editor.module.css';
import { useStepPiece } from './use-step-piece';
import { refOf } from './wanted-piece';
import type { StepSettingsProps } from './step-settings';
import { words } from './panel-words';

const MissingPiece = lazyPart(async () => (await import('./missing-piece')).MissingPiece);

/** The inputs that the piece asks for. A piece that is not known here leaves its input as JSON. */
export function PieceSettings(props: StepSettingsProps) {
  const { step, flowId } = props;
  const found = useStepPiece({ ...props, settings: step.settings });
  switch (found.state) {
    case 'known': {
      const part = partOf(found.piece, step.settings);
      return part ? <PartSettings {...props} piece={found.piece} part={part} /> : <UnknownPart {...props} />;
    }
    case 'loading':
      return <p role="status">{words.loadingPieces}</p>;
    case 'installing':
      return <p role="status">{words.installing(refOf(step.settings))}</p>;
    case 'unsaved':
      return <p role="status">{words.pieceUnsaved}</p>;
    case 'missing':
      return (
        <>
          <MissingPiece flowId={flowId} stepName={step.name} onLookAgain={found.lookAgain} />
          <InputAsJson {...props} />
        </>
      );
    case 'failed':
      return <Problem error={found.error} onTryAgain={found.lookAgain} />;
  }
}

const UnknownPart = (props: StepSettingsProps) => (
  <>
    <p>{words.unknownPiece}</p>
    <InputAsJson {...props} />
  </>
);

const InputAsJson = ({ step: { settings, name }, flowId, isEditable, onChange }: StepSettingsProps) => (
  <JsonField
    id={`${flowId}/${name}/input`}
    label={words.input}
    shape="object"
    value={inputOf(settings)}
    isReadOnly={!isEditable}
    onChange={(input) => onChange({ ...settings, input })}
  />
);

interface PartSettingsProps extends StepSettingsProps {
  piece: Piece;
  part: NonNullable<ReturnType<typeof partOf>>;
}

function PartSettings({ step, flowId, projectId, piece, part, isEditable, onChange }: PartSettingsProps) {
  const { settings, name } = step;
  const input = inputOf(settings);
  const source = useOptionsSource(settings, part.name, projectId);
  const isReadOnly = !isEditable;
  const setInput = (changed: unknown) => onChange({ ...settings, input: changed });
  return (
    <>
      <p className={styles['quiet']}>{part.description}</p>
      {part.requiresAuth && (
        <ConnectionField
          {...{ projectId, piece, isReadOnly }}
          value={input['auth']}
          onChange={(auth) => setInput(withValue(input, 'auth', auth))}
        />
      )}
      <OptionsContext value={source}>
        <PropForm id={`${flowId}/${name}`} props={part.props} values={input} {...{ isReadOnly }} onChange={setInput} />
      </OptionsContext>
      {Object.keys(part.props).length === 0 && !part.requiresAuth && <p>{words.noInput}</p>}
    </>
  );
}

const inputOf = ({ input }: Step['settings']): Readonly<Record<string, unknown>> => (isObject(input) ? input : {});

/** The trigger or action of the piece that the settings name. */
function partOf(piece: Piece, settings: Step['settings']) {
  const actionName = String(settings['actionName']);
  const triggerName = String(settings['triggerName']);
  if (Object.hasOwn(piece.actions, actionName)) return { ...piece.actions[actionName]!, name: actionName };
  if (!Object.hasOwn(piece.triggers, triggerName)) return null;
  return { ...piece.triggers[triggerName]!, name: triggerName, requiresAuth: piece.auth !== null };
}

function useOptionsSource(settings: Readonly<Record<string, unknown>>, name: string, projectId: string): OptionsSource {
  const [pieceName, pieceVersion] = [String(settings['pieceName']), settings['pieceVersion']];
  return useMemo(
    () => ({
      key: `${pieceName}/${String(pieceVersion)}/${name}`,
      ask: (propName, others, signal) => {
        const version = typeof pieceVersion === 'string' ? { pieceVersion } : {};
        const body = { projectId, pieceName, ...version, name, propName, input: others };
        return answerOf(POST('/api/v1/pieces/options', { body, signal }));
      },
    }),
    [projectId, pieceName, pieceVersion, name],
  );
}
