import { useDeferredValue, useMemo, useState } from 'react';
import { copyText } from '../browser/clipboard';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { copiedText, isContainer, pathText, search, valueAt, type JsonNode, type Path } from './json-nodes';
import { JsonTree } from './json-tree';
import styles from './json-view.module.css';
import { words } from './words';

const MOST_FOUND = 100;

interface JsonViewProps {
  /** What the value is, in a word or two. */
  name: string;
  value: unknown;
}

/** Any JSON value: what is in it opens node by node, can be searched, and copied exactly. */
export function JsonView({ name, value }: JsonViewProps) {
  const [typed, setTyped] = useState('');
  const [place, setPlace] = useState<Path | null>(null);
  const wanted = useDeferredValue(typed.trim());
  const root = { path: [], value };
  // The value may have changed since the place was chosen; a place that is gone is no longer chosen.
  const inPlace = place && valueAt(value, place);
  const chosen = place !== null && inPlace !== undefined ? { path: place, value: inPlace } : null;
  const choose = ({ path }: JsonNode) => setPlace(path);
  return (
    <section className={styles['view']} aria-label={name}>
      <div className={styles['tools']}>
        {isContainer(value) && (
          <TextField
            label={words.search(name)}
            isLabelHidden
            type="search"
            placeholder={words.search(name)}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
        <CopyTools node={chosen ?? root} />
      </div>
      <div className={styles['tree']}>
        {wanted === '' ? (
          <JsonTree node={root} isOpen chosen={chosen} onChoose={choose} />
        ) : (
          <FoundNodes {...{ value, wanted, chosen }} onChoose={choose} />
        )}
      </div>
    </section>
  );
}

interface FoundNodesProps {
  value: unknown;
  wanted: string;
  chosen: JsonNode | null;
  onChoose: (node: JsonNode) => void;
}

function FoundNodes({ value, wanted, chosen, onChoose }: FoundNodesProps) {
  const { nodes, hasMore } = useMemo(() => search(value, wanted, MOST_FOUND), [value, wanted]);
  return (
    <>
      {nodes.map((node) => (
        <JsonTree key={pathText(node.path)} node={node} label={pathText(node.path)} {...{ chosen, onChoose }} />
      ))}
      {nodes.length === 0 && <p role="status">{words.nothingFound}</p>}
      {hasMore && <p role="status">{words.moreFound(nodes.length)}</p>}
    </>
  );
}

/** Copies the node that was chosen last, or the whole value. */
function CopyTools({ node }: { node: JsonNode }) {
  const [result, setResult] = useState('');
  const copy = async (text: string) => setResult((await copyText(text)) ? words.copied : words.notCopied);
  const path = pathText(node.path);
  return (
    <div className={styles['copy']}>
      <Button onClick={() => void copy(copiedText(node.value))}>{words.copyValue}</Button>
      <Button disabled={path === ''} onClick={() => void copy(path)}>
        {words.copyPath}
      </Button>
      <code className={styles['path']}>{path === '' ? words.everything : path}</code>
      <span role="status">{result}</span>
    </div>
  );
}
