import type { CSSProperties, ReactElement, ReactNode } from 'react';
import styles from './controls.module.css';

interface TableProps {
  /** What the table lists, for screen readers. */
  name: string;
  /** The heads of the columns. A head that is no text needs a key. */
  columns: readonly (string | ReactElement)[];
  children: ReactNode;
}

/**
 * A list of things that have several properties. It scrolls sideways by itself when it is wider than the screen. On a
 * phone each thing has its properties below each other, with the heads beside them.
 */
export const Table = ({ name, columns, children }: TableProps) => (
  // The region can be focused, so that the keyboard can scroll it.
  <div className={styles['scroller']} role="region" aria-label={name} tabIndex={0}>
    <table className={styles['table']} aria-label={name} style={headsOf(columns)}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={typeof column === 'string' ? column : column.key} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

/** The heads as texts for the style sheet, which knows the column of a cell by its place. */
const headsOf = (columns: TableProps['columns']): CSSProperties =>
  Object.fromEntries(
    columns.map((column, index) => [`--head-${index + 1}`, JSON.stringify(typeof column === 'string' ? column : '')]),
  );
