import { isUsable } from '../api/piece-origin';
import type { CataloguedPiece, Piece } from '../api/pieces';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Table } from '../controls/table';
import type { PackageDialog } from './package-dialogs';
import styles from './piece-page.module.css';
import { words } from './words';

const COLUMNS = [words.name, words.what, words.version, words.triggers, words.actions, words.state];
/** More rows would make the search slow. Another word finds them. */
const MOST_SHOWN = 100;

interface CatalogueTableProps {
  entries: readonly CataloguedPiece[];
  pieces: readonly Piece[];
  /** Undefined for those who may not install packages. */
  onManage: ((dialog: PackageDialog) => void) | undefined;
}

/** The published packages that flows can name. */
export function CatalogueTable({ entries, pieces, onManage }: CatalogueTableProps) {
  const isThere = ({ name, version, installed }: CataloguedPiece) =>
    installed || pieces.some((piece) => piece.name === name && piece.version === version);
  const more = entries.length - MOST_SHOWN;
  return (
    <>
      <Table name={words.catalogue} columns={COLUMNS}>
        {entries.slice(0, MOST_SHOWN).map((entry) => (
          <tr key={entry.name}>
            <td>
              <ExactText text={entry.displayName} />
              <div>
                <code className={styles['quiet']}>{entry.name}</code>
              </div>
            </td>
            <td>
              <ExactText text={entry.description} />
            </td>
            <td>{entry.version}</td>
            <td>{Object.values(entry.triggers).filter(({ type }) => isUsable(type)).length}</td>
            <td>{Object.keys(entry.actions).length}</td>
            <td>
              {isThere(entry)
                ? words.isInstalled
                : onManage && (
                    <Button
                      aria-label={words.installOf(entry.displayName)}
                      onClick={() => onManage({ kind: 'install', piece: entry })}
                    >
                      {words.install}
                    </Button>
                  )}
            </td>
          </tr>
        ))}
      </Table>
      {more > 0 && <p>{words.more(more)}</p>}
    </>
  );
}
