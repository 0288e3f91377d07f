import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { pieceQuery, type Piece } from '../api/pieces';
import { Facts } from '../controls/facts';
import { DetailPage } from '../shell/detail-page';
import { inProject, useProject } from '../shell/project';
import type { PieceItem } from './piece-queries';
import styles from './piece-page.module.css';
import { PropTable } from './prop-table';
import { words } from './words';

/** One piece: its triggers and actions, and what each takes. */
export function PiecePage() {
  const { name = '' } = useParams();
  const piece = useQuery(pieceQuery(name));
  return (
    <DetailPage name={piece.data?.displayName ?? words.piece} query={piece}>
      {(loaded) => <Details piece={loaded} />}
    </DetailPage>
  );
}

function Details({ piece }: { piece: Piece }) {
  const { projectId } = useProject();
  const { auth } = piece;
  return (
    <>
      <p>{piece.description}</p>
      <Facts
        facts={[
          { name: words.inFlows, value: <code>{piece.name}</code> },
          { name: words.version, value: piece.version },
          { name: words.connection, value: auth === null ? words.noConnection : auth.displayName },
        ]}
      />
      {auth?.props && <PropTable name={words.inputsOf(auth.displayName)} props={auth.props} />}
      <Items id="triggers" name={words.triggers} items={piece.triggers} />
      <Items id="actions" name={words.actions} items={piece.actions} />
      <p>
        <Link to={inProject('/pieces', projectId)}>{words.back}</Link>
      </p>
    </>
  );
}

interface ItemsProps {
  id: string;
  name: string;
  items: Readonly<Record<string, PieceItem>>;
}

function Items({ id, name, items }: ItemsProps) {
  const all = Object.entries(items);
  if (all.length === 0) return null;
  return (
    <section aria-labelledby={id} className={styles['items']}>
      <h2 id={id}>{name}</h2>
      {all.map(([key, item]) => (
        <section key={key} aria-labelledby={`${id}-${key}`} className={styles['item']}>
          <h3 id={`${id}-${key}`}>
            {item.displayName} <code>{key}</code>
          </h3>
          <p>{item.description}</p>
          {Object.keys(item.props).length === 0 ? (
            <p className={styles['quiet']}>{words.noInputs}</p>
          ) : (
            <PropTable name={words.inputsOf(item.displayName)} props={item.props} />
          )}
        </section>
      ))}
    </section>
  );
}
