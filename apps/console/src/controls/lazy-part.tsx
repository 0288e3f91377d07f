import type { ComponentType, ReactNode } from 'react';
import { Button } from './button';
import styles from './controls.module.css';
import { usePart } from './use-part';
import { words } from './words';

interface Looks {
  /** What stands there meanwhile. */
  waiting?: ReactNode;
  /** Whether it lies over the page, as a dialog does. */
  isOver?: boolean;
}

interface Closable {
  onClose?: () => void;
}

/**
 * Makes a component whose code is loaded when it is first shown. When it cannot be loaded, the rest of the page stays as
 * it is, and a message has the ways on.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { waiting = null, isOver = false }: Looks = {},
): (props: P & Closable) => ReactNode {
  const loadPart = async () => ({ Part: await load() });
  return function LazyPart(props) {
    const part = usePart(loadPart);
    if (part.state === 'loaded') return <part.part.Part {...props} />;
    if (part.state === 'loading') return waiting;
    return <PartNotLoaded {...{ isOver }} again={part.again} onClose={props.onClose} />;
  };
}

interface PartNotLoadedProps {
  again: () => void;
  isOver?: boolean;
  onClose?: (() => void) | undefined;
}

export const PartNotLoaded = ({ again, isOver = false, onClose }: PartNotLoadedProps) => (
  <div role="alert" className={styles['notLoaded']} data-over={isOver || undefined}>
    <p>{words.partNotLoaded}</p>
    <div className={styles['notLoadedActions']}>
      <Button onClick={again}>{words.tryAgain}</Button>
      <Button onClick={() => window.location.reload()}>{words.reload}</Button>
      {onClose && <Button onClick={onClose}>{words.close}</Button>}
    </div>
  </div>
);
