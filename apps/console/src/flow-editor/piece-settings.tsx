import { useMemo } from 'react';
import { answerOf, POST } from '../api/client';
import { JsonField } from '../prop-form/json-field';
import { OptionsContext, type OptionsSource } from '../prop-form/options-context';
import { PropForm, withValue } from '../prop-form/prop-form';
import { isObject } from '../prop-form/rows';
import { ConnectionField } from './connection-field';
import styles from './flow-editor.module.css';
import type { Piece } from './new-step';
import type { StepSettingsProps } from './step-settings';
import { words } from './panel-words';

/** The inputs that the piece asks for. A piece that is not known here leaves its input as JSON. */
export function PieceSettings({ step, flowId, projectId, pieces, isEditable, onChange }: StepSettingsProps) {
  const { settings, name } = step;
  const input = isObject(settings['input']) ? settings['input'] : {};
  const part = pieces && partOf(pieces, settings);
  const source = useOptionsSource(settings, part?.name ?? '', projectId);
  const id = `${flowId}/${name}`;
  const isReadOnly = !isEditable;
  const setInput = (changed: unknown) => onChange({ ...settings, input: changed });
  if (!pieces) return <p role="status">{words.loadingPieces}</p>;
  if (!part)
    return (
      <>
        <p>{words.unknownPiece}</p>
        <JsonField
          id={`${id}/input`}
          label={words.input}
          shape="object"
          value={input}
          isReadOnly={isReadOnly}
          onChange={setInput}
        />
      </>
    );
  return (
    <>
      <p className={styles['quiet']}>{part.description}</p>
      {part.requiresAuth && (
        <ConnectionField
          {...{ projectId, isReadOnly }}
          pieceName={String(settings['pieceName'])}
          value={input['auth']}
          onChange={(auth) => setInput(withValue(input, 'auth', auth))}
        />
      )}
      <OptionsContext value={source}>
        <PropForm id={id} props={part.props} values={input} isReadOnly={isReadOnly} onChange={setInput} />
      </OptionsContext>
      {Object.keys(part.props).length === 0 && !part.requiresAuth && <p>{words.noInput}</p>}
    </>
  );
}

/** The trigger or action that the settings name. */
function partOf(pieces: readonly Piece[], settings: Readonly<Record<string, unknown>>) {
  const piece = pieces.find(({ name }) => name === settings['pieceName']);
  const actionName = String(settings['actionName']);
  const triggerName = String(settings['triggerName']);
  if (piece && Object.hasOwn(piece.actions, actionName)) return { ...piece.actions[actionName]!, name: actionName };
  if (!piece || !Object.hasOwn(piece.triggers, triggerName)) return null;
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
