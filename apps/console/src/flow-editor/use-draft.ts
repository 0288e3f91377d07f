import { useEffect, useState, useSyncExternalStore } from 'react';
import { GET, POST } from '../api/client';
import { signedInPerson } from '../api/session';
import { onWakeUp } from '../browser/wake-up';
import { saved, type SavedFlow } from './flow-requests';
import { DraftStore } from './draft-store';
import type { Draft } from './draft';
import { keepDraft, keptDraft, keyOf } from './kept-draft';
import { requestBody, type Operation } from './operation';
import { listenToOtherTabs, tellOtherTabs } from './other-tabs';
import { commitTyped, isTyping } from './typing';

/** The draft of a flow, from what was read when the editor opened. It is sent while it is edited. */
export function useDraft(opened: SavedFlow): { draft: Draft; store: DraftStore } {
  const [store] = useState(() => storeOf(opened));
  const draft = useSyncExternalStore(store.subscribe, store.current);
  useEffect(store.start, [store]);
  useWakeUp(store, opened.flow.id);
  useAskBeforeLeaving(store);
  return { draft, store };
}

/** The stores that have something to save. They go on when their editor is left, and the next visit finds them. */
const busy = new Map<string, DraftStore>();

/** Whether the page is being left. It sees no answers any more; what browsers say of its requests then means nothing. */
let isLeft = false;

window.addEventListener('pagehide', () => {
  commitTyped();
  queueMicrotask(() => {
    isLeft = true;
    for (const [key, store] of busy) keepDraft(key, store.current(), { isLeft });
  });
});

// A browser may show again, as it was, a page that was left.
window.addEventListener('pageshow', () => (isLeft = false));

// A phone may end a page that is not looked at without another word.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') commitTyped();
});

/** Browsers send at most 64 kB for pages that were left, and a letter has at most three bytes. */
const MOST_LETTERS_AFTER_PAGE = 20_000;

/** Whether the request may go on when the page is left. */
const outlivesPage = (operation: Operation): boolean => JSON.stringify(operation).length < MOST_LETTERS_AFTER_PAGE;

function storeOf(opened: SavedFlow): DraftStore {
  const path = { id: opened.flow.id };
  const personId = signedInPerson()?.id ?? '';
  const key = keyOf(personId, path.id);
  const left = busy.get(key);
  if (left) return left;
  const store: DraftStore = new DraftStore(opened, keptDraft(key), {
    send: (operation, etag) => {
      const headers = { 'If-Match': etag };
      const keepalive = outlivesPage(operation);
      const body = requestBody(operation);
      return saved(POST('/api/v1/flows/{id}', { params: { path }, headers, keepalive, body }));
    },
    read: () => saved(GET('/api/v1/flows/{id}', { params: { path } })),
    keep: (draft) => {
      if (isLeft) return;
      keepDraft(key, draft);
      if (draft.queue.length > 0) busy.set(key, store);
      else busy.delete(key);
    },
    announce: () => tellOtherTabs(path.id),
    isMine: () => signedInPerson()?.id === personId,
    isTyping,
  });
  return store;
}

/** The flow may have been changed in another tab, or by somebody else while nobody looked at the page. */
function useWakeUp(store: DraftStore, flowId: string): void {
  useEffect(() => {
    const stopListening = listenToOtherTabs(flowId, store.lookAgain);
    const stayAsleep = onWakeUp(store.wakeUp);
    return () => {
      stopListening();
      stayAsleep();
    };
  }, [store, flowId]);
}

/** The browser asks while something is not saved. What is typed is sent meanwhile. */
function useAskBeforeLeaving(store: DraftStore): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      commitTyped();
      if (store.current().queue.length > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [store]);
}
