import { useState } from 'react';
import { ExactText } from '../controls/exact-text';
import { childrenOf, isContainer, pathText, sizeOf, type JsonNode } from './json-nodes';
import styles from './json-view.module.css';
import { words } from './words';

const CHILDREN_AT_ONCE = 100;
const LETTERS_AT_FIRST = 500;
const LETTERS_MORE = 20_000;

interface JsonTreeProps {
  node: JsonNode;
  /** What stands before the value; the last part of its path unless said otherwise. */
  label?: string;
  isOpen?: boolean;
  chosen: JsonNode | null;
  onChoose: (node: JsonNode) => void;
}

/** A node with what is in it. Children are rendered when it is open, and not all of many at once. */
export function JsonTree({ node, label = String(node.path.at(-1) ?? ''), isOpen: opens, ...rest }: JsonTreeProps) {
  const { chosen, onChoose } = rest;
  const [isOpen, setOpen] = useState(opens ?? false);
  const { value } = node;
  const isChosen = chosen !== null && pathText(chosen.path) === pathText(node.path);
  if (!isContainer(value)) return <Leaf {...{ node, label, isChosen, onChoose }} />;
  const toggle = () => {
    setOpen(!isOpen);
    onChoose(node);
  };
  return (
    <div>
      <button
        type="button"
        className={styles['row']}
        aria-expanded={isOpen}
        aria-current={isChosen || undefined}
        onClick={toggle}
      >
        <span aria-hidden="true" className={styles['sign']}>
          {isOpen ? '▾' : '▸'}
        </span>
        {label !== '' && (
          <span className={styles['key']}>
            <ExactText text={label} />
          </span>
        )}
        <span className={styles['size']}>
          {Array.isArray(value) ? words.items(value.length) : words.keys(sizeOf(value))}
        </span>
      </button>
      {isOpen && <Children node={node} {...rest} />}
    </div>
  );
}

function Children({ node, chosen, onChoose }: Omit<JsonTreeProps, 'label' | 'isOpen'>) {
  const [limit, setLimit] = useState(CHILDREN_AT_ONCE);
  const children = childrenOf(node, limit);
  const all = sizeOf(node.value as object);
  return (
    <div className={styles['children']}>
      {children.map((child) => (
        <JsonTree key={String(child.path.at(-1))} node={child} chosen={chosen} onChoose={onChoose} />
      ))}
      {all > children.length && (
        <button type="button" className={styles['more']} onClick={() => setLimit(limit + CHILDREN_AT_ONCE)}>
          {words.more(children.length, all)}
        </button>
      )}
    </div>
  );
}

interface LeafProps {
  node: JsonNode;
  label: string;
  isChosen: boolean;
  onChoose: (node: JsonNode) => void;
}

function Leaf({ node, label, isChosen, onChoose }: LeafProps) {
  const [limit, setLimit] = useState(LETTERS_AT_FIRST);
  const { value } = node;
  const length = typeof value === 'string' ? value.length : 0;
  return (
    <div>
      <button
        type="button"
        className={styles['row']}
        aria-current={isChosen || undefined}
        onClick={() => onChoose(node)}
      >
        <span className={styles['sign']} />
        {label !== '' && (
          <span className={styles['key']}>
            <ExactText text={label} />
          </span>
        )}
        <span className={styles[typeof value === 'string' ? 'text' : 'literal']}>
          <ExactText
            text={typeof value === 'string' ? `"${value.slice(0, limit)}${length > limit ? '…' : '"'}` : String(value)}
          />
        </span>
      </button>
      {length > limit && (
        <button type="button" className={styles['more']} onClick={() => setLimit(limit + LETTERS_MORE)}>
          {words.moreText(limit, length)}
        </button>
      )}
    </div>
  );
}
