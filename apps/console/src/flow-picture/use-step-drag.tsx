import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef, useState, type PointerEvent } from 'react';
import { dropPlaces } from './drop-places';
import type { Picture } from './picture-context';

/** Less is a click with an unsteady hand. */
const LEAST_MOVE = 6;
/** Near the edge of the canvas the picture moves along. */
const EDGE = 48;
const EDGE_STEP = 12;

interface Drag {
  name: string;
  end: (isDropped: boolean) => void;
}

/** A step that is dragged from its card to a line. While it is, `dragged` is its name and the ghost follows the pointer. */
export function useStepDrag({ trigger, onMove }: Picture) {
  const [dragged, setDragged] = useState<string | null>(null);
  const ghost = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | null>(null);
  const { getViewport, setViewport } = useReactFlow();
  useEffect(() => () => drag.current?.end(false), []);

  const onPointerDown = (event: PointerEvent, name: string) => {
    if (!onMove || event.button !== 0 || event.pointerType === 'touch' || event.shiftKey) return;
    const places = dropPlaces(trigger, name);
    if (places.size === 0) return;
    const canvas = event.currentTarget.closest('[data-canvas]');
    const from = { x: event.clientX, y: event.clientY };
    let at = from;
    let over: HTMLElement | null = null;
    let frame = 0;

    const follow = () => {
      if (ghost.current) ghost.current.style.transform = `translate(${at.x + 12}px, ${at.y + 12}px)`;
      const found = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('[data-place]') ?? null;
      const target = found && places.has(found.dataset['place'] ?? '') ? found : null;
      if (target === over) return;
      over?.removeAttribute('data-over');
      target?.setAttribute('data-over', '');
      over = target;
    };
    const moveAlong = () => {
      const by = canvas && edgeOf(canvas.getBoundingClientRect(), at);
      if (by && (by.x !== 0 || by.y !== 0)) {
        const { x, y, zoom } = getViewport();
        void setViewport({ x: x + by.x, y: y + by.y, zoom });
        follow();
      }
      frame = requestAnimationFrame(moveAlong);
    };
    const onPointerMove = ({ clientX, clientY }: globalThis.PointerEvent) => {
      at = { x: clientX, y: clientY };
      if (frame === 0) {
        if (Math.hypot(at.x - from.x, at.y - from.y) < LEAST_MOVE) return;
        setDragged(name);
        frame = requestAnimationFrame(moveAlong);
      }
      follow();
    };
    const end = (isDropped: boolean) => {
      cancelAnimationFrame(frame);
      for (const [type, listener] of listeners) window.removeEventListener(type, listener, true);
      drag.current = null;
      over?.removeAttribute('data-over');
      if (frame === 0) return;
      setDragged(null);
      swallowClick();
      const place = over && places.get(over.dataset['place'] ?? '');
      if (isDropped && place) onMove(name, place);
    };
    const onKeyDown = (key: KeyboardEvent) => {
      if (key.key !== 'Escape' || frame === 0) return;
      key.stopPropagation();
      end(false);
    };
    const listeners: [string, EventListener][] = [
      ['pointermove', onPointerMove as EventListener],
      ['pointerup', () => end(true)],
      ['pointercancel', () => end(false)],
      ['keydown', onKeyDown as EventListener],
    ];
    for (const [type, listener] of listeners) window.addEventListener(type, listener, true);
    drag.current = { name, end };
  };
  return { dragged, ghost, onPointerDown };
}

/** The click that ends a drag is none. */
function swallowClick(): void {
  const swallow = (event: Event) => event.stopPropagation();
  window.addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener('click', swallow, { capture: true }));
}

function edgeOf(canvas: DOMRect, { x, y }: { x: number; y: number }): { x: number; y: number } {
  const along = (at: number, start: number, end: number): number =>
    at < start + EDGE ? EDGE_STEP : at > end - EDGE ? -EDGE_STEP : 0;
  return { x: along(x, canvas.left, canvas.right), y: along(y, canvas.top, canvas.bottom) };
}
