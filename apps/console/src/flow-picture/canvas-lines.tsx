import { useReactFlow, ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import styles from './flow-picture.module.css';
import { CARD, type Layout } from './layout';
import { linePath } from './line-path';

/** The lines between steps, and the frames around the bodies of loops. */
export const Lines = memo(function Lines({ layout }: { layout: Layout }) {
  const path = useMemo(() => linePath(layout.lines), [layout]);
  return (
    <ViewportPortal>
      <svg className={styles['lines']} aria-hidden="true">
        {layout.frames.map(({ x, y, width, height }) => (
          <rect key={`${x} ${y}`} x={x} y={y} width={width} height={height} rx={14} className={styles['frame']} />
        ))}
        <path d={path} className={styles['line']} />
      </svg>
    </ViewportPortal>
  );
});

/** The steps while they are too small to be read. A click comes nearer; the keyboard has the outline. */
export const FarSteps = memo(function FarSteps({ layout }: { layout: Layout }) {
  const { setCenter } = useReactFlow();
  return (
    <ViewportPortal>
      <svg className={styles['farSteps']} aria-hidden="true">
        {layout.steps.map(({ step, x, y }) => (
          <rect
            key={step.name}
            x={x}
            y={y}
            {...CARD}
            rx={10}
            className={step.valid ? styles['far'] : styles['farProblem']}
            onClick={() => void setCenter(x + CARD.width / 2, y + CARD.height / 2, { zoom: 1 })}
          />
        ))}
      </svg>
    </ViewportPortal>
  );
});
