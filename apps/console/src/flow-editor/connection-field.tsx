import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Piece } from '../api/pieces';
import { Button } from '../controls/button';
import { ChoiceField } from '../controls/field';
import { lazyPart } from '../controls/lazy-part';
import { Problem } from '../controls/problem';
import { parsePath } from '../json-view/member-path';
import { ExpressionSwitch } from '../prop-form/expression-switch';
import { useProject } from '../shell/project';
import { connectionsQuery } from './connection-requests';
import styles from './flow-editor.module.css';
import { words } from './panel-words';

const ConnectionDialog = lazyPart(async () => (await import('../connection-form/connection-dialog')).ConnectionDialog, {
  isOver: true,
});

interface ConnectionFieldProps {
  projectId: string;
  piece: Piece;
  value: unknown;
  isReadOnly: boolean;
  onChange: (value: unknown) => void;
}

/** Which connection a piece uses: one of the project's, a new one, or an expression. */
export function ConnectionField({ projectId, piece, value, isReadOnly, onChange }: ConnectionFieldProps) {
  const { data, error, refetch } = useQuery(connectionsQuery(projectId));
  const { mayIn } = useProject();
  const [isMaking, setMaking] = useState(false);
  const connections = data?.data ?? [];
  const chosen = externalIdOf(value);
  const known = connections.find(({ externalId }) => externalId === chosen);
  const choices = [
    { value: '', label: words.notChosen },
    ...connections.map(({ externalId, displayName, status }) => ({
      value: externalId,
      label: status === 'ERROR' ? words.inError(displayName) : displayName,
    })),
    ...(chosen !== null && !known ? [{ value: chosen, label: chosen }] : []),
  ];
  const choose = (externalId: string) => onChange(externalId === '' ? undefined : expressionOf(externalId));
  const label = words.connection;
  return (
    <ExpressionSwitch
      {...{ label, value, isReadOnly, onChange }}
      isExpression={(written) => written !== undefined && written !== '' && externalIdOf(written) === null}
    >
      {(tools) => (
        <div className={styles['connection']}>
          <ChoiceField {...{ label, tools, choices }} value={chosen ?? ''} isDisabled={isReadOnly} onChoose={choose} />
          {mayIn(projectId, 'WRITE_CONNECTION') && (
            <div>
              <Button disabled={isReadOnly} onClick={() => setMaking(true)}>
                {words.newConnection}
              </Button>
            </div>
          )}
          {known?.status === 'ERROR' && <p className={styles['failure']}>{known.statusReason}</p>}
          {data && chosen !== null && !known && <p className={styles['failure']}>{words.noConnection(chosen)}</p>}
          {error && <Problem error={error} onTryAgain={() => void refetch()} />}
          {isMaking && (
            <ConnectionDialog
              {...{ projectId, piece }}
              onConnected={({ externalId }) => {
                setMaking(false);
                choose(externalId);
              }}
              onClose={() => setMaking(false)}
            />
          )}
        </div>
      )}
    </ExpressionSwitch>
  );
}

/** The connection that an expression names and nothing else; null for another expression. */
function externalIdOf(value: unknown): string | null {
  const source = typeof value === 'string' ? /^\{\{(.*)\}\}$/s.exec(value)?.[1] : undefined;
  const path = source === undefined ? null : parsePath(source);
  return path?.length === 2 && path[0] === 'connections' ? String(path[1]) : null;
}

const expressionOf = (externalId: string): string =>
  `{{ connections[${/['\\]/.test(externalId) ? JSON.stringify(externalId) : `'${externalId}'`}] }}`;
