import { ImageIcon, MinusIcon, PlusIcon, SizeIcon, ThickArrowUpIcon } from '@radix-ui/react-icons';
import { Panel, useStore } from '@xyflow/react';
import type { ReactNode } from 'react';
import { Button } from '../controls/button';
import type { CanvasMoves } from './canvas-moves';
import styles from './flow-picture.module.css';
import { words } from './words';

interface CanvasControlsProps {
  moves: CanvasMoves;
  isMapShown: boolean;
  onToggleMap: () => void;
}

export function CanvasControls({ moves, isMapShown, onToggleMap }: CanvasControlsProps) {
  const zoom = useStore(({ transform }) => transform[2]);
  return (
    <Panel position="bottom-left" className={styles['controls'] ?? ''}>
      <Control name={words.zoomOut} icon={<MinusIcon aria-hidden />} onUse={moves.zoomOut} />
      <span className={styles['percent']}>{words.percent(zoom)}</span>
      <Control name={words.zoomIn} icon={<PlusIcon aria-hidden />} onUse={moves.zoomIn} />
      <Control name={words.wholeFlow} icon={<SizeIcon aria-hidden />} onUse={moves.fit} />
      <Control name={words.toTrigger} icon={<ThickArrowUpIcon aria-hidden />} onUse={moves.toTrigger} />
      <Control name={words.map} isPressed={isMapShown} icon={<ImageIcon aria-hidden />} onUse={onToggleMap} />
    </Panel>
  );
}

interface ControlProps {
  name: string;
  icon: ReactNode;
  isPressed?: boolean;
  onUse: () => void;
}

const Control = ({ name, icon, isPressed, onUse }: ControlProps) => (
  <Button className={styles['control']} aria-label={name} title={name} aria-pressed={isPressed} onClick={onUse}>
    {icon}
  </Button>
);
