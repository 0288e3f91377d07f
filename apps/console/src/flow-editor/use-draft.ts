import { useEffect, useState, useSyncExternalStore } from 'react';
import { GET, POST } from '../api/client';
import { saved, type SavedFlow } from './flow-requests';
import { DraftStore } from './draft-store';
import type { Draft } from './draft';
import { requestBody } from './operation';
import { keepUnsaved, leftUnsaved } from './unsaved';

/** The draft of a flow, from what was read when the editor opened. It is sent while it is edited. */
export function useDraft(opened: SavedFlow): { draft: Draft; store: DraftStore } {
  const [store] = useState(() => storeOf(opened));
  const draft = useSyncExternalStore(store.subscribe, store.current);
  const isUnsaved = draft.queue.length > 0;
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
  return { draft, store };
}

function storeOf(opened: SavedFlow): DraftStore {
  const path = { id: opened.flow.id };
  return new DraftStore(opened, leftUnsaved(path.id), {
    send: (operation, etag) => {
      const headers = { 'If-Match': etag };
      return saved(POST('/api/v1/flows/{id}', { params: { path }, headers, body: requestBody(operation) }));
    },
    read: () => saved(GET('/api/v1/flows/{id}', { params: { path } })),
    keep: (unsaved) => keepUnsaved(path.id, unsaved),
  });
}
