import { useEffect, useState, useSyncExternalStore } from 'react';
import { GET, POST } from '../api/client';
import { signedInPerson } from '../api/session';
import { saved, type SavedFlow } from './flow-requests';
import { DraftStore } from './draft-store';
import type { Draft } from './draft';
import { keepDraft, keptDraft, keyOf } from './kept-draft';
import { requestBody } from './operation';
import { listenToOtherTabs, tellOtherTabs } from './other-tabs';

/** The draft of a flow, from what was read when the editor opened. It is sent while it is edited. */
export function useDraft(opened: SavedFlow): { draft: Draft; store: DraftStore } {
  const [store] = useState(() => storeOf(opened));
  const draft = useSyncExternalStore(store.subscribe, store.current);
  useEffect(store.start, [store]);
  useLookAgain(store, opened.flow.id);
  useAskBeforeLeaving(draft.queue.length > 0);
  return { draft, store };
}

/** The stores that have something to save. They go on when their editor is left, and the next visit finds them. */
const busy = new Map<string, DraftStore>();

// A page that is left may not see the answer to what is on its way.
window.addEventListener('pagehide', () => {
  for (const [key, store] of busy) keepDraft(key, store.current(), { isLeft: true });
});

function storeOf(opened: SavedFlow): DraftStore {
  const path = { id: opened.flow.id };
  const personId = signedInPerson()?.id ?? '';
  const key = keyOf(personId, path.id);
  const left = busy.get(key);
  if (left) return left;
  const store: DraftStore = new DraftStore(opened, keptDraft(key), {
    send: (operation, etag) => {
      const headers = { 'If-Match': etag };
      return saved(POST('/api/v1/flows/{id}', { params: { path }, headers, body: requestBody(operation) }));
    },
    read: () => saved(GET('/api/v1/flows/{id}', { params: { path } })),
    keep: (draft) => {
      keepDraft(key, draft);
      if (draft.queue.length > 0) busy.set(key, store);
      else busy.delete(key);
    },
    announce: () => tellOtherTabs(path.id),
    isMine: () => signedInPerson()?.id === personId,
  });
  return store;
}

/** The flow may have been changed in another tab, or by somebody else while the page was not looked at. */
function useLookAgain(store: DraftStore, flowId: string): void {
  useEffect(() => {
    const stopListening = listenToOtherTabs(flowId, store.lookAgain);
    const onVisible = () => document.visibilityState === 'visible' && store.lookAgain();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      stopListening();
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [store, flowId]);
}

function useAskBeforeLeaving(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}
