import { useQuery } from '@tanstack/react-query';
import { Command as Cmdk } from 'cmdk';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Dialog } from '../controls/dialog';
import { ExactText } from '../controls/exact-text';
import { isFound } from './found';
import { foundFlowsQuery } from './found-flows';
import { pageCommands, type Command } from './page-commands';
import styles from './palette.module.css';
import { words } from './words';

export type { Command };

export interface Destination {
  name: string;
  address: string;
}

interface PaletteProps {
  projectId: string;
  /** The pages that the person may go to. */
  pages: readonly Destination[];
  /** What can be done on every page. */
  commands: readonly Command[];
  /** Closes the palette and does what was chosen. */
  onChoose: (act: () => void) => void;
  onClose: () => void;
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Does what the page in hand offers, and goes to any page, any flow by a part of its name, and any run by its id. */
export function Palette({ projectId, pages, commands, onChoose, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('');
  // What lies under another dialog is out of reach.
  const [here] = useState(() => (document.querySelector('[role=dialog]') ? [] : pageCommands()));
  const navigate = useNavigate();
  const sought = typed.trim();
  const { data: flows = [] } = useQuery(foundFlowsQuery(projectId, sought));
  const ids = ID.test(sought) ? [{ name: words.run(sought), address: `/runs/${sought}` }] : [];
  const places = (destinations: readonly Destination[]) =>
    destinations.map(({ name, address }) => ({ name, id: address, act: () => void navigate(address) }));
  const groups = [
    { name: words.here, items: here.map((each, index) => ({ ...each, id: `here ${index}` })) },
    { name: words.places, items: places([...ids, ...pages]) },
    { name: words.flows, items: places(flows) },
    {
      name: words.everywhere,
      // The page in hand does the same with all that it knows.
      items: commands
        .filter(({ name }) => !here.some((each) => each.name === name))
        .map((each) => ({ ...each, id: `everywhere ${each.name}` })),
    },
  ];
  return (
    <Dialog title={words.palette} isOpen onClose={onClose}>
      <Cmdk label={words.palette} shouldFilter={false} loop>
        <Cmdk.Input
          value={typed}
          onValueChange={setTyped}
          placeholder={words.hint}
          aria-label={words.palette}
          className={styles['input']}
        />
        <Cmdk.List label={words.results} className={styles['list']}>
          <Cmdk.Empty>{words.nothing}</Cmdk.Empty>
          {groups.map(({ name, items }) => (
            <Group
              key={name}
              name={name}
              items={items.filter((item) => isFound(item.name, sought))}
              onChoose={onChoose}
            />
          ))}
        </Cmdk.List>
      </Cmdk>
    </Dialog>
  );
}

interface GroupProps {
  name: string;
  items: readonly (Command & { id: string })[];
  onChoose: (act: () => void) => void;
}

const Group = ({ name, items, onChoose }: GroupProps): ReactNode =>
  items.length > 0 && (
    <Cmdk.Group heading={name} className={styles['group']}>
      {items.map((item) => (
        <Cmdk.Item key={item.id} value={item.id} onSelect={() => onChoose(item.act)} className={styles['item']}>
          <ExactText text={item.name} />
          {item.keys !== undefined && <kbd className={styles['keys']}>{item.keys}</kbd>}
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  );
