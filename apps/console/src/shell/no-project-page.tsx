import { useState } from 'react';
import { Button } from '../controls/button';
import { lazyPart } from '../controls/lazy-part';
import { Page } from './page';
import { words } from './words';

const NewProjectDialog = lazyPart(async () => (await import('./new-project-dialog')).NewProjectDialog, {
  isOver: true,
});

/** Stands in for every page of a person who has no project: everything belongs to one. */
export function NoProjectPage() {
  const [isMaking, setMaking] = useState(false);
  return (
    <Page name={words.noProject}>
      <p>{words.noProjectSays}</p>
      <div>
        <Button isMain onClick={() => setMaking(true)}>
          {words.newProject}
        </Button>
      </div>
      {isMaking && <NewProjectDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}
