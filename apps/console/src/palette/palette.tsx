import { useQuery } from '@tanstack/react-query';
import { Command as Cmdk } from 'cmdk';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { usePerson } from '../api/session';
import { Dialog } from '../controls/dialog';
import { ExactText } from '../controls/exact-text';
import { fitOf, found, longestWord } from './found';
import { foundFlowsQuery } from './found-flows';
import { pageCommands, type Command } from './page-commands';
import styles from './palette.module.css';
import { recentIds, recentOf, rememberChosen } from './recent';
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

/** Does what the page in hand offers, and goes to any page, any flow by words of its name, and any run by its id. */
export function Palette({ onChoose, onClose, ...from }: PaletteProps) {
  const [typed, setTyped] = useState('');
  const sought = typed.trim();
  const personId = usePerson()?.id ?? '';
  const [chosenBefore] = useState(() => recentIds(personId));
  const offered = useGroups(from, sought).map(({ name, items }) => ({ name, items: found(items, sought) }));
  const fitting = offered.flatMap(({ items }) => items).filter(({ name }) => fitOf(name, sought) === 2);
  const recent = recentOf(fitting, chosenBefore);
  const choose = ({ id, act }: Item) => {
    rememberChosen(personId, id);
    onChoose(act);
  };
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
          <Group name={words.recent} items={recent} onChoose={choose} />
          {offered.map(({ name, items }) => (
            <Group key={name} name={name} items={items.filter((item) => !recent.includes(item))} onChoose={choose} />
          ))}
        </Cmdk.List>
      </Cmdk>
    </Dialog>
  );
}

/** What can be chosen. The id means the same on every page. */
type Item = Command & { id: string };

/** All that is offered, in its groups. Flows and runs are only those that are sought. */
function useGroups({ projectId, pages, commands }: Omit<PaletteProps, 'onChoose' | 'onClose'>, sought: string) {
  // What lies under another dialog is out of reach.
  const [here] = useState(() => (document.querySelector('[role=dialog]') ? [] : pageCommands()));
  const navigate = useNavigate();
  const { data: flows = [] } = useQuery(foundFlowsQuery(projectId, longestWord(sought)));
  const ids = ID.test(sought) ? [{ name: words.run(sought), address: `/runs/${sought}` }] : [];
  const places = (destinations: readonly Destination[]): Item[] =>
    destinations.map(({ name, address }) => ({ name, id: address, act: () => void navigate(address) }));
  const elsewhere = commands.filter(({ name }) => !here.some((each) => each.name === name)); // the page knows more
  return [
    { name: words.here, items: withIds('here', here) },
    { name: words.places, items: places([...ids, ...pages]) },
    { name: words.flows, items: places(flows) },
    { name: words.everywhere, items: withIds('everywhere', elsewhere) },
  ];
}

/** Commands are known by their names, and by their place where a page has several of one name. */
const withIds = (group: string, commands: readonly Command[]): Item[] =>
  commands.map((each, index) => {
    const isFirst = commands.findIndex(({ name }) => name === each.name) === index;
    return { ...each, id: `${group} ${each.name}${isFirst ? '' : ` ${index}`}` };
  });

interface GroupProps {
  name: string;
  items: readonly Item[];
  onChoose: (item: Item) => void;
}

const Group = ({ name, items, onChoose }: GroupProps): ReactNode =>
  items.length > 0 && (
    <Cmdk.Group heading={name} className={styles['group']}>
      {items.map((item) => (
        <Cmdk.Item key={item.id} value={item.id} onSelect={() => onChoose(item)} className={styles['item']}>
          <ExactText text={item.name} />
          {item.keys !== undefined && <kbd className={styles['keys']}>{item.keys}</kbd>}
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  );
