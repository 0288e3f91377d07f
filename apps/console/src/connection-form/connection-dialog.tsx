import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { piecesQuery, type Piece } from '../api/pieces';
import { Button } from '../controls/button';
import { Copyable } from '../controls/copyable';
import { ChoiceField, TextField } from '../controls/field';
import { Dialog, DialogActions } from '../controls/dialog';
import { FormDialog } from '../controls/form-dialog';
import styles from './connection-form.module.css';
import {
  connectionKinds,
  externalIdOf,
  fieldsOf,
  firstKindOf,
  needsConsent,
  valueOf,
  type Connection,
  type ConnectionKind,
} from './connection-fields';
import { assertFree, connect, type StoredConnection } from './connection-requests';
import { redirectUrl } from './consent';
import { givenBy, MemberFields, ValueFields, type Member } from './value-fields';
import { words } from './words';

interface ConnectionDialogProps {
  projectId: string;
  /** The piece that needs the connection. It says what is asked for. */
  piece?: Piece;
  /** The connection whose value is replaced; a new one is made without it. */
  replaced?: Connection;
  onConnected: (connection: Connection) => void;
  onClose: () => void;
}

const FALLBACK_ID = 'connection';

/** Takes what a connection holds. All of it is in the memory of this page until it is sent, and nowhere afterwards. */
export function ConnectionDialog({ projectId, piece, replaced, onConnected, onClose }: ConnectionDialogProps) {
  const form = useConnectionForm(piece, replaced);
  const { kind, names, given, consenting } = form;
  const [stored, setStored] = useState<StoredConnection | null>(null);
  const submit = async () => {
    const request = { projectId, ...names, type: kind.type, value: valueOf(kind, given), ...kind.checkedBy };
    if (!replaced) await assertFree(request);
    const connection = await connect(request, given, { onAsk: consenting.ask, signal: consenting.signal() });
    if (connection.unchecked === undefined) onConnected(connection);
    else setStored(connection);
  };
  const title = replaced ? words.reconnect(replaced.displayName) : words.newConnection;
  if (stored) return <Unchecked connection={stored} title={title} onClose={() => onConnected(stored)} />;
  return (
    <FormDialog title={title} verb={words.connect} onSubmit={() => submit().finally(consenting.end)} onClose={onClose}>
      {replaced && <p>{words.reconnectSays}</p>}
      <NameFields form={form} isNew={!replaced} />
      <ChoiceField
        label={words.kind}
        value={kind.id}
        choices={form.kinds.map(({ id, label }) => ({ value: id, label }))}
        onChoose={form.chooseKind}
      />
      {kind.description !== undefined && <p className={styles['hint']}>{kind.description}</p>}
      <ValueFields fields={fieldsOf(kind, given)} given={given} onGive={form.give} />
      {form.hasMembers && <MemberFields members={form.members} onChange={form.setMembers} />}
      {kind.type === 'OAUTH2' && kind.takesClient !== false && needsConsent(given) && <Redirect />}
      {consenting.address !== null && <Waiting address={consenting.address} />}
    </FormDialog>
  );
}

type Form = ReturnType<typeof useConnectionForm>;

function useConnectionForm(piece: Piece | undefined, replaced: Connection | undefined) {
  const { data: pieces = [] } = useQuery(piecesQuery);
  const kinds = useMemo(() => connectionKinds(pieces, piece), [pieces, piece]);
  const [kindId, setKindId] = useState<string | undefined>(replaced?.type ?? (piece && firstKindOf(piece)));
  const [displayName, setName] = useState(replaced?.displayName ?? '');
  const [ownId, setOwnId] = useState<string | null>(replaced?.externalId ?? null);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [members, setMembers] = useState<readonly Member[]>([{ id: 1, name: '', value: '' }]);
  const consenting = useConsenting();
  const kind = (kinds.find(({ id }) => id === kindId) ?? kinds[0]) as ConnectionKind;
  const hasMembers = kind.type === 'CUSTOM_AUTH' && kind.props === null;
  const chooseKind = (id: string) => {
    setKindId(id);
    setTexts({});
  };
  return {
    kinds,
    kind,
    names: { displayName, externalId: ownId ?? (externalIdOf(displayName) || FALLBACK_ID) },
    given: hasMembers ? givenBy(members) : texts,
    hasMembers,
    members,
    consenting,
    chooseKind,
    setName,
    setOwnId,
    setMembers,
    give: (name: string, value: string) => setTexts((before) => ({ ...before, [name]: value })),
  };
}

/** The wait for a person who gives consent in another window. It ends with the dialog. */
function useConsenting() {
  const [address, setAddress] = useState<string | null>(null);
  const wait = useRef<AbortController>(null);
  useEffect(() => () => wait.current?.abort(), []);
  return {
    address,
    ask: (page: string) => {
      setAddress(page);
      window.open(page, '_blank', 'noopener');
    },
    end: () => setAddress(null),
    signal: () => {
      wait.current?.abort();
      wait.current = new AbortController();
      return wait.current.signal;
    },
  };
}

const NameFields = ({ form: { names, setName, setOwnId }, isNew }: { form: Form; isNew: boolean }) => (
  <>
    <TextField
      label={words.name}
      required
      maxLength={255}
      autoComplete="off"
      value={names.displayName}
      onChange={(event) => setName(event.target.value)}
    />
    <TextField
      label={words.externalId}
      required
      maxLength={255}
      autoComplete="off"
      spellCheck={false}
      disabled={!isNew}
      value={names.externalId}
      onChange={(event) => setOwnId(event.target.value)}
    />
    <p className={styles['hint']}>{words.externalIdSays(names.externalId)}</p>
  </>
);

/** Says why the connection, which is stored, was not checked. */
const Unchecked = ({ connection, title, onClose }: UncheckedProps) => (
  <Dialog title={title} isOpen onClose={onClose}>
    <p role="status">{words.unchecked(connection.unchecked ?? '')}</p>
    <DialogActions>
      <Button isMain onClick={onClose}>
        {words.understood}
      </Button>
    </DialogActions>
  </Dialog>
);

interface UncheckedProps {
  connection: StoredConnection;
  title: string;
  onClose: () => void;
}

const Redirect = () => (
  <div>
    <p className={styles['hint']}>{words.redirectUrl}</p>
    <Copyable value={redirectUrl()} copyWord={words.copyRedirectUrl} />
  </div>
);

const Waiting = ({ address }: { address: string }) => (
  <div className={styles['waiting']}>
    <p role="status">{words.waiting}</p>
    <a href={address} target="_blank" rel="noopener noreferrer">
      {words.openProvider}
    </a>
  </div>
);
