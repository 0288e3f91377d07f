import { Fragment } from 'react';
import styles from './controls.module.css';
import { textParts } from './hidden-characters';

/** A text of others, in which characters that nobody would see are written out, and turn nothing around. */
export const ExactText = ({ text }: { text: string }) =>
  textParts(text).map((part, index) =>
    part.isHidden ? (
      <code key={index} className={styles['hiddenCharacter']}>
        {part.text}
      </code>
    ) : (
      <Fragment key={index}>{part.text}</Fragment>
    ),
  );
