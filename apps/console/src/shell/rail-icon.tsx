import styles from './shell.module.css';

/** Lines on a field of 16 by 16, which are much smaller than icons of a library. */
const LINES = {
  flows: 'M2.5 2.5h4.5v3.5h-4.5zM9 10h4.5v3.5h-4.5zM4.75 6v5.75H9',
  runs: 'M4.5 3v10l8.5-5z',
  failures: 'M8 2.5 14 13.5H2zM8 6.5v3.2M8 11.6v.1',
  approvals: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM5.4 8.2l1.8 1.8 3.4-3.8',
  connections:
    'M6.3 9.7l3.4-3.4M7.2 4.6l1.2-1.2a3 3 0 0 1 4.2 4.2l-1.2 1.2M8.8 11.4l-1.2 1.2a3 3 0 0 1-4.2-4.2l1.2-1.2',
  templates: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  pieces: 'M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5 8 8l5.5-3M8 8v6',
  queues: 'M2.5 4h11M2.5 8h11M2.5 12h6.5',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.2v3.6M6 9.2v3.6',
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM10.3 10.3l3.2 3.2',
  width: 'M8 4 4 8l4 4M12.5 4l-4 4 4 4',
};

export type RailIconName = keyof typeof LINES;

export const RailIcon = ({ name }: { name: RailIconName }) => (
  <svg aria-hidden="true" viewBox="0 0 16 16" className={styles['icon']}>
    <path d={LINES[name]} />
  </svg>
);
