import { Background, ReactFlow, ReactFlowProvider, useReactFlow, useStore } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
} from 'react';
import { remember, remembered } from '../browser/storage';
import { lazyPart } from '../controls/lazy-part';
import { CanvasContext } from './canvas-context';
import { CanvasControls } from './canvas-controls';
import { useCanvasMoves, type CanvasMoves } from './canvas-moves';
import { CANVAS_NODES, nodesOf, nodesOfNotes } from './canvas-nodes';
import { FarSteps, Lines } from './canvas-lines';
import styles from './flow-picture.module.css';
import { layOut } from './layout';
import { MiddleInView } from './middle-in-view';
import { fittedTo, startOf } from './opening';
import { PictureContext, usePicture, type Picture, type ShownPicture } from './picture-context';
import { stepOfRow, toggled, usePictureState, type PictureState } from './picture-state';
import { StepInView } from './step-in-view';
import type { CardEvents } from './step-card';
import { neighbourOf, type Direction } from './step-walk';
import { useStepDrag } from './use-step-drag';
import { words } from './words';

const ZOOM = { min: 0.02, max: 2 };
/** Below it cards are too small to be read or hit: they are drawn as areas that zoom in when they are clicked. */
const READABLE_ZOOM = 0.4;
/** Under which this browser remembers whether the mini-map is shown. */
const MAP = 'miniMap';
const NO_NOTES: never[] = [];

interface CanvasProps extends Picture {
  /** Shared with the outline where there is one. */
  state?: PictureState;
  /** Filled with what moves the picture. */
  moves?: Ref<CanvasMoves>;
  /** Whether it opens so small that a wide flow fits between its sides, where that can still be read. */
  isFitted?: boolean;
}

/** The picture of a flow. It opens with the trigger at the top, and at 100 % unless it is fitted. */
export function Canvas({ state: sharedState, moves, isFitted = false, ...picture }: CanvasProps) {
  const [width, setWidth] = useState<number>();
  const measure = useCallback((element: HTMLElement | null) => {
    if (element) setWidth(element.clientWidth);
  }, []);
  const ownState = usePictureState(picture.trigger, picture.selected);
  const state = sharedState ?? ownState;
  const shown = useMemo(
    () => ({ ...picture, state }),
    // Callers make a new object of the same values each time.
    [...Object.values(picture), state],
  );
  return (
    <section ref={measure} className={styles['canvas']} aria-label={words.canvas} data-canvas="">
      <PictureContext value={shown}>
        <ReactFlowProvider>{width !== undefined && <Drawing {...{ width, moves, isFitted }} />}</ReactFlowProvider>
      </PictureContext>
    </section>
  );
}

interface DrawingProps {
  /** That of the canvas as it opened. */
  width: number;
  moves: Ref<CanvasMoves> | undefined;
  isFitted: boolean;
}

function Drawing({ width, moves: movesRef, isFitted }: DrawingProps) {
  const picture = usePicture();
  const { trigger, state, notes = NO_NOTES } = picture;
  const isReadable = useStore(({ transform }) => transform[2] >= READABLE_ZOOM);
  const layout = useMemo(() => layOut(trigger, state.closed), [trigger, state.closed]);
  const stepNodes = useMemo(() => (isReadable ? nodesOf(layout) : []), [layout, isReadable]);
  const noteNodes = useMemo(() => nodesOfNotes(notes), [notes]);
  const nodes = useMemo(() => [...noteNodes, ...stepNodes], [noteNodes, stepNodes]);
  const [opening] = useState(() => (isFitted ? fittedTo(width, layout) : startOf(width)));
  const moves = useCanvasMoves(layout);
  const [isMapShown, setMapShown] = useState(() => remembered(MAP) === 'yes');
  const { dragged, ghost, onPointerDown } = useStepDrag(picture);
  const parts = useCanvasParts(picture, onPointerDown);
  useFilled(movesRef, moves);
  return (
    <CanvasContext value={parts}>
      <ReactFlow
        nodes={nodes}
        nodeTypes={CANVAS_NODES}
        defaultViewport={opening}
        minZoom={ZOOM.min}
        maxZoom={ZOOM.max}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomActivationKeyCode={null}
        panActivationKeyCode={null}
        zoomOnDoubleClick={false}
        panOnScroll
        className={dragged === null ? '' : (styles['dragging'] ?? '')}
        onKeyDown={(event) => onCanvasKey(event, picture)}
        onPaneContextMenu={usePaneMenu(picture)}
      >
        <Background gap={24} />
        <Lines layout={layout} />
        {!isReadable && <FarSteps layout={layout} />}
        <MiddleInView />
        <StepInView layout={layout} />
        <CanvasControls
          moves={moves}
          isMapShown={isMapShown}
          onToggleMap={() => {
            remember(MAP, isMapShown ? null : 'yes');
            setMapShown(!isMapShown);
          }}
        />
        {isMapShown && <LazyMiniMap layout={layout} />}
      </ReactFlow>
      {dragged !== null && (
        <div ref={ghost} className={styles['ghost']} aria-hidden="true">
          {layout.steps.find(({ step }) => step.name === dragged)?.step.displayName}
        </div>
      )}
    </CanvasContext>
  );
}

/** What cards do. The functions stay the same, so that cards are not drawn again for them. */
function useCanvasParts(picture: ShownPicture, onPointerDown: CardEvents['onPointerDown']) {
  const latest = useRef({ picture, onPointerDown });
  useEffect(() => {
    latest.current = { picture, onPointerDown };
  });
  return useMemo(() => {
    const cardEvents: CardEvents = {
      onClick: (event, name) => {
        const { onSelect, state } = latest.current.picture;
        if (event.shiftKey) state.mark(toggled(state.marked, name));
        // A click without a place is a press of Enter.
        else onSelect(name, event.detail === 0);
      },
      onFocus: (name) => latest.current.picture.state.onFocus(name),
      onContextMenu: (event, name) => {
        const { onMenu } = latest.current.picture;
        if (!onMenu) return;
        event.preventDefault();
        onMenu({ kind: 'step', name }, { x: event.clientX, y: event.clientY });
      },
      onPointerDown: (event, name) => latest.current.onPointerDown(event, name),
    };
    return { cardEvents };
  }, []);
}

const DIRECTIONS: Record<string, Direction> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  ArrowRight: 'in',
  ArrowLeft: 'out',
};

/** The arrows lead along the flow. With Shift, the steps on the way are marked. */
function onCanvasKey(event: KeyboardEvent, { trigger, state }: ShownPicture): void {
  const direction = DIRECTIONS[event.key];
  const isInText = event.target instanceof Element && event.target.closest('textarea') !== null;
  if (!direction || isInText || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  const from = stepOfRow(state.current);
  if (direction === 'in' && state.closed.has(from)) return state.toggle(from);
  const to = neighbourOf(trigger, from, direction);
  if (!to) return;
  state.mark(event.shiftKey ? new Set([...state.marked, from, to.name]) : new Set());
  state.goTo(to.name, 'canvas');
}

function usePaneMenu({ onMenu }: Picture) {
  const { screenToFlowPosition } = useReactFlow();
  return (event: MouseEvent | globalThis.MouseEvent) => {
    if (!onMenu) return;
    event.preventDefault();
    const point = { x: event.clientX, y: event.clientY };
    const { x, y } = screenToFlowPosition(point);
    onMenu({ kind: 'canvas', x: Math.round(x), y: Math.round(y) }, point);
  };
}

const LazyMiniMap = lazyPart(async () => (await import('./mini-map')).MiniMap, { isOver: true });

function useFilled(ref: Ref<CanvasMoves> | undefined, moves: CanvasMoves): void {
  useEffect(() => {
    if (!ref || typeof ref === 'function') return;
    ref.current = moves;
  }, [ref, moves]);
}
