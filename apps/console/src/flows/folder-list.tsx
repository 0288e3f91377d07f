import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { lazyPart } from '../controls/lazy-part';
import { MenuItem } from '../controls/menu';
import { RowMenu } from '../controls/row-menu';
import { useProject } from '../shell/project';
import { foldersQuery, NO_FOLDER, type Folder } from './folder-queries';
import styles from './flows-page.module.css';
import { words } from './words';

const over = { isOver: true };
const NewFolderDialog = lazyPart(async () => (await import('./folder-dialogs')).NewFolderDialog, over);
const RenameDialog = lazyPart(async () => (await import('./folder-dialogs')).RenameFolderDialog, over);
const DeleteDialog = lazyPart(async () => (await import('./folder-dialogs')).DeleteFolderDialog, over);

type Step = 'new' | 'rename' | 'delete' | null;

/** The folders of the project. The one that is shown is in the address. */
export function FolderList() {
  const { projectId, may } = useProject();
  const [search, setSearch] = useSearchParams();
  const { data: folders = [] } = useQuery(foldersQuery(projectId));
  const [step, setStep] = useState<Step>(null);
  const chosen = search.get('folderId');
  const folder = folders.find(({ id }) => id === chosen);
  const mayWrite = may('WRITE_FOLDER');
  const show = (folderId: string | null) => setSearch(withFolder(search, folderId));
  const close = () => setStep(null);
  if (folders.length === 0 && !mayWrite) return null;
  return (
    <nav aria-label={words.folders} className={styles['folders']}>
      <FolderLink search={search} folderId={null} name={words.allFlows} />
      {folders.map((each) => (
        <span key={each.id} className={styles['folder']}>
          <FolderLink search={search} folderId={each.id} name={each.displayName} />
          {mayWrite && each.id === chosen && <FolderMenu folder={each} onChoose={setStep} />}
        </span>
      ))}
      {folders.length > 0 && <FolderLink search={search} folderId={NO_FOLDER} name={words.noFolder} />}
      {mayWrite && <Button onClick={() => setStep('new')}>{words.newFolder}</Button>}
      {step === 'new' && (
        <NewFolderDialog
          projectId={projectId}
          onMade={(id) => {
            close();
            show(id);
          }}
          onClose={close}
        />
      )}
      {folder && step === 'rename' && <RenameDialog folder={folder} onClose={close} />}
      {folder && step === 'delete' && <DeleteDialog folder={folder} onDeleted={() => show(null)} onClose={close} />}
    </nav>
  );
}

const FolderMenu = ({ folder, onChoose }: { folder: Folder; onChoose: (step: Step) => void }) => (
  <RowMenu name={folder.displayName}>
    <MenuItem onChoose={() => onChoose('rename')}>{words.renameFolder}</MenuItem>
    <MenuItem onChoose={() => onChoose('delete')}>{words.deleteFolder}</MenuItem>
  </RowMenu>
);

interface FolderLinkProps {
  search: URLSearchParams;
  folderId: string | null;
  name: string;
}

const FolderLink = ({ search, folderId, name }: FolderLinkProps) => (
  <Link
    to={{ search: withFolder(search, folderId).toString() }}
    aria-current={search.get('folderId') === folderId ? 'page' : undefined}
    className={styles['folderLink']}
  >
    {name}
  </Link>
);

/** The same filters in another folder, from the first page on. */
function withFolder(search: URLSearchParams, folderId: string | null): URLSearchParams {
  const after = new URLSearchParams(search);
  after.delete('cursor');
  if (folderId === null) after.delete('folderId');
  else after.set('folderId', folderId);
  return after;
}
