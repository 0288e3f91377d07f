import { useId, type KeyboardEvent, type ReactNode } from 'react';
import styles from './controls.module.css';

export interface Tab {
  id: string;
  name: string;
  /** Made when the tab is chosen. */
  content: () => ReactNode;
}

interface TabsProps {
  /** What the tabs are about, for screen readers. */
  name: string;
  tabs: readonly Tab[];
  chosen: string;
  onChoose: (id: string) => void;
}

/** Several views of one thing, of which one is shown. Arrow keys go from tab to tab, and show it. */
export function Tabs({ name, tabs, chosen, onChoose }: TabsProps) {
  const id = useId();
  const at = tabs.findIndex((tab) => tab.id === chosen);
  const walk = (event: KeyboardEvent) => {
    const next = nextTab(event, at, tabs.length);
    const tab = next === undefined ? undefined : tabs[next];
    if (!tab) return;
    event.preventDefault();
    onChoose(tab.id);
    document.getElementById(`${id}-${tab.id}`)?.focus();
  };
  return (
    <div className={styles['tabs']}>
      <div role="tablist" aria-label={name} className={styles['tabList']} onKeyDown={walk}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={tab.id === chosen ? `${id}-panel` : undefined}
            tabIndex={tab.id === chosen ? 0 : -1}
            className={styles['tab']}
            onClick={() => onChoose(tab.id)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div
        key={chosen}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${chosen}`}
        tabIndex={0}
        className={styles['tabContent']}
      >
        {tabs[at]?.content()}
      </div>
    </div>
  );
}

/** The place of the tab that a key leads to. After the last comes the first. */
function nextTab({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, at: number, count: number): number | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const places: Record<string, number> = {
    ArrowRight: (at + 1) % count,
    ArrowLeft: (at - 1 + count) % count,
    Home: 0,
    End: count - 1,
  };
  return places[key];
}
