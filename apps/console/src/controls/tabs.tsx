import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
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

/** Several views of one thing, of which one is shown. Arrow keys go from tab to tab. */
export const Tabs = ({ name, tabs, chosen, onChoose }: TabsProps) => (
  <Radix.Root value={chosen} onValueChange={onChoose} className={styles['tabs']}>
    <Radix.List aria-label={name} className={styles['tabList']}>
      {tabs.map((tab) => (
        <Radix.Trigger key={tab.id} value={tab.id} className={styles['tab']}>
          {tab.name}
        </Radix.Trigger>
      ))}
    </Radix.List>
    {tabs.map((tab) => (
      <Radix.Content key={tab.id} value={tab.id} className={styles['tabContent']}>
        {tab.id === chosen && tab.content()}
      </Radix.Content>
    ))}
  </Radix.Root>
);
