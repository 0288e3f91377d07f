import { Link } from 'react-router';
import { isPackage } from '../api/piece-origin';
import type { Piece } from '../api/pieces';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Table } from '../controls/table';
import { inProject, useProject } from '../shell/project';
import type { PackageDialog } from './package-dialogs';
import styles from './piece-page.module.css';
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
            {isPackage(piece) && (
              <div>
                <code className={styles['quiet']}>{piece.name}</code>
              </div>
            )}
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

/** More names would make the row of a large package longer than the page. Its own page has them all. */
const MOST_NAMES = 12;

function namesOf(items: Readonly<Record<string, PieceItem>>): string {
  const names = Object.values(items).map(({ displayName }) => displayName);
  const more = names.length - MOST_NAMES;
  return more > 1 ? `${names.slice(0, MOST_NAMES).join(', ')} ${words.andMore(more)}` : names.join(', ');
}
