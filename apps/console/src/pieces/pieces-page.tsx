import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { installationQuery } from '../api/installation';
import { catalogueQuery, piecesQuery } from '../api/pieces';
import { usePerson } from '../api/session';
import { Button } from '../controls/button';
import { Loading } from '../controls/loading';
import { Problem } from '../controls/problem';
import { SearchField } from '../controls/search-field';
import { Page } from '../shell/page';
import { useProject } from '../shell/project';
import { CatalogueTable } from './catalogue-table';
import { InstallDialog, InstallNamedDialog, RemoveDialog, type PackageDialog } from './package-dialogs';
import styles from './piece-page.module.css';
import { matches } from './piece-search';
import { PiecesTable } from './pieces-table';
import { words } from './words';

/** What steps are made of: the pieces that are there, and the packages that can be installed. */
export function PiecesPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const { data: installation } = useQuery(installationQuery);
  const hasPackages = installation !== undefined && installation.piecePackages !== 'off';
  const mayManage = (usePerson()?.isPlatformAdministrator ?? false) && hasPackages;
  const [dialog, setDialog] = useState<PackageDialog | null>(null);
  const pieces = useQuery(piecesQuery);
  const catalogue = useQuery({ ...catalogueQuery, enabled: hasPackages });
  const sought = search.get('name') ?? '';
  const found = pieces.data?.filter((piece) => matches(piece, sought)).toSorted(byName);
  const offered = catalogue.data?.filter((entry) => matches(entry, sought)).toSorted(byName);
  const seek = (name: string) => setSearch(name === '' ? { projectId } : { projectId, name }, { replace: true });
  const manage = mayManage ? setDialog : undefined;
  return (
    <Page
      name={words.pieces}
      actions={
        <>
          {mayManage && <Button onClick={() => setDialog({ kind: 'named' })}>{words.installNamed}</Button>}
          <SearchField label={words.search} value={sought} onSearch={seek} />
        </>
      }
    >
      <p>{words.intro}</p>
      <section className={styles['items']} aria-labelledby="installed-pieces">
        <h2 id="installed-pieces">{words.installed}</h2>
        <Answer query={pieces} count={found?.length} />
        {found && found.length > 0 && <PiecesTable pieces={found} onManage={manage} />}
      </section>
      {hasPackages && (
        <section className={styles['items']} aria-labelledby="catalogue">
          <h2 id="catalogue">{words.catalogue}</h2>
          <p className={styles['quiet']}>{words.catalogueSays}</p>
          <Answer query={catalogue} count={offered?.length} />
          {offered && offered.length > 0 && (
            <CatalogueTable entries={offered} pieces={pieces.data ?? []} onManage={manage} />
          )}
        </section>
      )}
      {dialog && <OpenDialog dialog={dialog} onClose={() => setDialog(null)} />}
    </Page>
  );
}

interface AnswerProps {
  query: { error: unknown; isPending: boolean; refetch: () => unknown };
  /** How many were found. */
  count: number | undefined;
}

/** Stands where a table would be. */
function Answer({ query: { error, isPending, refetch }, count }: AnswerProps) {
  if (error) return <Problem error={error} onTryAgain={() => void refetch()} />;
  if (isPending) return <Loading />;
  return count === 0 && <p>{words.noneMatch}</p>;
}

function OpenDialog({ dialog, onClose }: { dialog: PackageDialog; onClose: () => void }) {
  if (dialog.kind === 'named') return <InstallNamedDialog onClose={onClose} />;
  const Dialog = dialog.kind === 'install' ? InstallDialog : RemoveDialog;
  return <Dialog piece={dialog.piece} onClose={onClose} />;
}

const byName = (one: { displayName: string }, other: { displayName: string }): number =>
  one.displayName.localeCompare(other.displayName);
