import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { remember, remembered } from '../browser/storage';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { ChoiceField, TextField } from '../controls/field';
import { isFiltered } from './run-filters';
import { addressOf, shownView, viewOf, viewsIn, withoutView, withView, type SavedView } from './saved-views-kept';
import { words } from './words';

const keyOf = (projectId: string): string => `runViews.${projectId}`;

/** The filters that somebody has named, and the way to name those of the address. */
export function SavedViews({ projectId }: { projectId: string }) {
  const [search, setSearch] = useSearchParams();
  const [isNaming, setNaming] = useState(false);
  const [kept, setKept] = useState<{ of: string; views: SavedView[] } | null>(null);
  const views = kept?.of === projectId ? kept.views : viewsIn(remembered(keyOf(projectId)));
  const shown = shownView(views, search);
  const keep = (next: SavedView[]) => {
    remember(keyOf(projectId), JSON.stringify(next));
    setKept({ of: projectId, views: next });
  };
  const show = (name: string) => {
    const view = views.find((each) => each.name === name);
    if (view) setSearch((before) => addressOf(view, before, Date.now()));
  };
  return (
    <>
      {views.length > 0 && (
        <ChoiceField
          label={words.views}
          isLabelHidden
          value={shown?.name ?? ''}
          choices={[{ value: '', label: words.views }, ...views.map(({ name }) => ({ value: name, label: name }))]}
          onChoose={show}
        />
      )}
      {shown && <Button onClick={() => keep(withoutView(views, shown.name))}>{words.forgetView}</Button>}
      {!shown && isFiltered(search) && <Button onClick={() => setNaming(true)}>{words.saveView}</Button>}
      {isNaming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onName={(name) => keep(withView(views, viewOf(name, search, Date.now())))}
        />
      )}
    </>
  );
}

const LONGEST_NAME = 60;

function NameDialog({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  return (
    <Dialog title={words.nameView} isOpen onClose={onClose}>
      <form
        id="name-view"
        onSubmit={(event) => {
          event.preventDefault();
          onName(name.trim());
          onClose();
        }}
      >
        <TextField
          label={words.viewName}
          value={name}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
        />
      </form>
      <p>{words.viewText}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button isMain type="submit" form="name-view" disabled={name.trim() === ''}>
          {words.keepView}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
