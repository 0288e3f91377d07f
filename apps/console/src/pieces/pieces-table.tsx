import { Link } from 'react-router';
import { isPackage } from '../api/piece-origin';
import type { Piece } from '../api/pieces';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Table } from '../controls/table';
import { inProject, useProject } from '../shell/project';
import type { PackageDialog } from './package-dialogs';
import type { PieceItem } from './piece-queries';
import { words } from './words';

const COLUMNS = [words.name, words.what, words.version, words.triggers, words.actions];

interface PiecesTableProps {
  pieces: readonly Piece[];
  /** Undefined for those who may not install and remove packages. */
  onManage: ((dialog: PackageDialog) => void) | undefined;
}

/** The pieces that come with the service, and the installed packages. */
export function PiecesTable({ pieces, onManage }: PiecesTableProps) {
  const { projectId } = useProject();
  return (
    <Table name={words.installed} columns={onManage ? [...COLUMNS, words.manage] : COLUMNS}>
      {pieces.map((piece) => (
        <tr key={piece.name}>
          <td>
            <Link to={inProject(`/pieces/${encodeURIComponent(piece.name)}`, projectId)}>
              <ExactText text={piece.displayName} />
            </Link>
          </td>
          <td>
            <ExactText text={piece.description} />
          </td>
          <td>{piece.version}</td>
          <td>
            <ExactText text={namesOf(piece.triggers)} />
          </td>
          <td>
            <ExactText text={namesOf(piece.actions)} />
          </td>
          {onManage && (
            <td>
              {isPackage(piece) && (
                <Button
                  aria-label={words.removeOf(piece.displayName)}
                  onClick={() => onManage({ kind: 'remove', piece })}
                >
                  {words.remove}
                </Button>
              )}
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

const namesOf = (items: Readonly<Record<string, PieceItem>>): string =>
  Object.values(items)
    .map(({ displayName }) => displayName)
    .join(', ');
