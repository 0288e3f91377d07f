import { Background, ReactFlow, ReactFlowProvider, useStore } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useCallback, useMemo, useState } from 'react';
import { CanvasControls } from './canvas-controls';
import { CANVAS_NODES, nodesOf } from './canvas-nodes';
import { FarSteps, Lines } from './canvas-lines';
import styles from './flow-picture.module.css';
import { layOut, type Layout } from './layout';
import { SelectedInView } from './selected-in-view';
import { PictureContext, type Picture } from './picture-context';
import type { Step } from './step';
import { words } from './words';

const ZOOM = { min: 0.02, max: 2 };
/** Below it cards are too small to be read or hit: they are drawn as areas that zoom in when they are clicked. */
const READABLE_ZOOM = 0.4;
const TOP = 32;

interface CanvasProps extends Picture {
  trigger: Step;
}

/** The picture of a flow. It opens at 100 % with the trigger at the top. */
export function Canvas({ trigger, selected, onSelect, marks, branches, onAdd }: CanvasProps) {
  const [width, setWidth] = useState<number>();
  const measure = useCallback((element: HTMLElement | null) => {
    if (element) setWidth(element.clientWidth);
  }, []);
  const layout = useMemo(() => layOut(trigger), [trigger]);
  const picture = useMemo(
    () => ({ selected, onSelect, marks, branches, onAdd }),
    [selected, onSelect, marks, branches, onAdd],
  );
  return (
    <section ref={measure} className={styles['canvas']} aria-label={words.canvas}>
      <PictureContext value={picture}>
        <ReactFlowProvider>{width !== undefined && <Drawing layout={layout} width={width} />}</ReactFlowProvider>
      </PictureContext>
    </section>
  );
}

function Drawing({ layout, width }: { layout: Layout; width: number }) {
  const isReadable = useStore(({ transform }) => transform[2] >= READABLE_ZOOM);
  const nodes = useMemo(() => (isReadable ? nodesOf(layout) : []), [layout, isReadable]);
  const start = { x: width / 2, y: TOP, zoom: 1 };
  return (
    <ReactFlow
      nodes={nodes}
      nodeTypes={CANVAS_NODES}
      defaultViewport={start}
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
      zoomOnDoubleClick={false}
      panOnScroll
    >
      <Background gap={24} />
      <Lines layout={layout} />
      {!isReadable && <FarSteps layout={layout} />}
      <SelectedInView layout={layout} />
      <CanvasControls layout={layout} start={start} />
    </ReactFlow>
  );
}
