import { useEffect, type RefObject } from 'react';
import { usePicture } from './picture-context';

/** Takes the focus when it is wished for here, also when this was not shown yet at that time. */
export function useWishedFocus(element: RefObject<HTMLElement | null>, isMe: (id: string) => boolean): void {
  const { wish, onFulfilled } = usePicture().state;
  const isWished = wish?.view === 'canvas' && isMe(wish.id);
  useEffect(() => {
    if (!isWished || !element.current) return;
    element.current.focus({ preventScroll: true });
    onFulfilled();
  }, [isWished, wish, element, onFulfilled]);
}
