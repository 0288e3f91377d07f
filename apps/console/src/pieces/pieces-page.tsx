import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { piecesQuery, type Piece } from '../api/pieces';
import { Loading } from '../controls/loading';
import { Problem } from '../controls/problem';
import { SearchField } from '../controls/search-field';
import { Table } from '../controls/table';
import { Page } from '../shell/page';
import { inProject, useProject } from '../shell/project';
import type { PieceItem } from './piece-queries';
import { matches } from './piece-search';
import { words } from './words';

const COLUMNS = [words.name, words.what, words.triggers, words.actions];

/** The catalogue of what steps are made of. */
export function PiecesPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const { data, error, refetch } = useQuery(piecesQuery);
  const sought = search.get('name') ?? '';
  const found = data?.filter((piece) => matches(piece, sought)).toSorted(byName);
  const seek = (name: string) => setSearch(name === '' ? { projectId } : { projectId, name }, { replace: true });
  return (
    <Page name={words.pieces} actions={<SearchField label={words.search} value={sought} onSearch={seek} />}>
      <p>{words.intro}</p>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <Loading />}
      {found?.length === 0 && <p>{words.noneMatch}</p>}
      {found && found.length > 0 && (
        <Table name={words.pieces} columns={COLUMNS}>
          {found.map((piece) => (
            <tr key={piece.name}>
              <td>
                <Link to={inProject(`/pieces/${piece.name}`, projectId)}>{piece.displayName}</Link>
              </td>
              <td>{piece.description}</td>
              <td>{namesOf(piece.triggers)}</td>
              <td>{namesOf(piece.actions)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Page>
  );
}

const namesOf = (items: Readonly<Record<string, PieceItem>>): string =>
  Object.values(items)
    .map(({ displayName }) => displayName)
    .join(', ');

const byName = (one: Piece, other: Piece): number => one.displayName.localeCompare(other.displayName);
