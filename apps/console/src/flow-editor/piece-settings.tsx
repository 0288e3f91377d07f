import { TextField } from '../controls/field';
import styles from './flow-editor.module.css';
import { JsonField } from './json-field';
import type { Piece } from './new-step';
import { PropField } from './prop-field';
import type { StepSettingsProps } from './step-settings';
import { words } from './words';

type Input = Record<string, unknown>;

/** The inputs that the piece asks for. A piece that is not known here leaves its input as JSON. */
export function PieceSettings({ step, flowId, pieces, onChange }: StepSettingsProps) {
  const { settings, name } = step;
  const input = (settings['input'] ?? {}) as Input;
  const setInput = (changed: Input) => onChange({ ...settings, input: changed });
  const set = (prop: string, value: unknown) => setInput(withInput(input, prop, value));
  if (!pieces) return <p role="status">{words.loadingPieces}</p>;
  const part = partOf(pieces, settings);
  if (!part)
    return (
      <>
        <p>{words.unknownPiece}</p>
        <JsonField
          id={`${flowId}/${name}/input`}
          label={words.input}
          shape="object"
          value={input}
          onChange={(value) => setInput(value as Input)}
        />
      </>
    );
  const props = Object.entries(part.props);
  return (
    <>
      <p className={styles['quiet']}>{part.description}</p>
      {part.requiresAuth && (
        <div>
          <TextField
            label={words.connection}
            value={typeof input['auth'] === 'string' ? input['auth'] : ''}
            onChange={(event) => set('auth', event.target.value)}
          />
          <p className={styles['quiet']}>{words.connectionSays}</p>
        </div>
      )}
      {props.map(([prop, description]) => (
        <PropField
          key={prop}
          id={`${flowId}/${name}/${prop}`}
          prop={description}
          value={input[prop]}
          onChange={(value) => set(prop, value)}
        />
      ))}
      {props.length === 0 && !part.requiresAuth && <p>{words.noInput}</p>}
    </>
  );
}

function partOf(pieces: readonly Piece[], settings: Readonly<Record<string, unknown>>) {
  const piece = pieces.find(({ name }) => name === settings['pieceName']);
  if (!piece) return null;
  const action = piece.actions[String(settings['actionName'])];
  if (action) return action;
  const trigger = piece.triggers[String(settings['triggerName'])];
  return trigger ? { ...trigger, requiresAuth: piece.auth !== null } : null;
}

/** The input with a value; undefined leaves it out, so that the default of the piece counts. */
const withInput = (input: Input, prop: string, value: unknown): Input =>
  Object.fromEntries(Object.entries({ ...input, [prop]: value }).filter(([, each]) => each !== undefined));
