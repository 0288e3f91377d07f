import { MinusIcon, PlusIcon, SizeIcon, ThickArrowUpIcon } from '@radix-ui/react-icons';
import { Panel, useReactFlow, useStore, type Viewport } from '@xyflow/react';
import type { ReactNode } from 'react';
import { Button } from '../controls/button';
import styles from './flow-picture.module.css';
import { CARD, type Layout } from './layout';
import { words } from './words';

interface CanvasControlsProps {
  layout: Layout;
  /** Where the canvas opens. */
  start: Viewport;
}

export function CanvasControls({ layout, start }: CanvasControlsProps) {
  const { zoomIn, zoomOut, fitBounds, setViewport } = useReactFlow();
  const zoom = useStore(({ transform }) => transform[2]);
  return (
    <Panel position="bottom-left" className={styles['controls'] ?? ''}>
      <Control name={words.zoomOut} icon={<MinusIcon aria-hidden />} onUse={() => void zoomOut()} />
      <span className={styles['percent']}>{words.percent(zoom)}</span>
      <Control name={words.zoomIn} icon={<PlusIcon aria-hidden />} onUse={() => void zoomIn()} />
      <Control
        name={words.wholeFlow}
        icon={<SizeIcon aria-hidden />}
        onUse={() => void fitBounds(boundsOf(layout), { padding: 0.05 })}
      />
      <Control name={words.toTrigger} icon={<ThickArrowUpIcon aria-hidden />} onUse={() => void setViewport(start)} />
    </Panel>
  );
}

const Control = ({ name, icon, onUse }: { name: string; icon: ReactNode; onUse: () => void }) => (
  <Button className={styles['control']} aria-label={name} title={name} onClick={onUse}>
    {icon}
  </Button>
);

function boundsOf({ steps, height }: Layout) {
  const lefts = steps.map(({ x }) => x);
  const left = lefts.reduce((least, x) => Math.min(least, x), 0);
  const right = lefts.reduce((most, x) => Math.max(most, x), 0) + CARD.width;
  return { x: left, y: 0, width: right - left, height };
}
