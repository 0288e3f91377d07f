import { Panel, useReactFlow, useStore } from '@xyflow/react';
import { memo, useMemo, type PointerEvent } from 'react';
import styles from './flow-picture.module.css';
import { boundsOf, CARD, type Layout } from './layout';

const MAP = { width: 160, height: 120 };

/** All of the flow, small, with what is seen of it. A click or a drag shows another part. */
export function MiniMap({ layout }: { layout: Layout }) {
  const bounds = useMemo(() => boundsOf(layout), [layout]);
  const { setCenter } = useReactFlow();
  const zoom = useStore(({ transform }) => transform[2]);
  const show = (event: PointerEvent<SVGSVGElement>) => {
    if ((event.buttons & 1) === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const matrix = event.currentTarget.getScreenCTM()?.inverse();
    if (!matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    void setCenter(x, y, { zoom });
  };
  return (
    <Panel position="bottom-right" className={styles['map'] ?? ''}>
      <svg
        aria-hidden="true"
        viewBox={`${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`}
        {...MAP}
        onPointerDown={show}
        onPointerMove={show}
      >
        <MapSteps layout={layout} />
        <SeenPart />
      </svg>
    </Panel>
  );
}

/** One path for all steps: a thousand elements would have to be drawn again with each move. */
const MapSteps = memo(function MapSteps({ layout: { steps } }: { layout: Layout }) {
  const path = steps.map(({ x, y }) => `M${x} ${y}h${CARD.width}v${CARD.height}h${-CARD.width}z`).join('');
  return <path d={path} className={styles['mapSteps']} />;
});

function SeenPart() {
  const [left, top, zoom] = useStore(({ transform }) => transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  return (
    <rect
      x={-left / zoom}
      y={-top / zoom}
      width={width / zoom}
      height={height / zoom}
      className={styles['mapSeen']}
      vectorEffect="non-scaling-stroke"
    />
  );
}
