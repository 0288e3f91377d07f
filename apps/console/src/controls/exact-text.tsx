import { Fragment } from 'react';
import styles from './controls.module.css';
import { textParts } from './hidden-characters';

/**
 * A text of others, exactly. Beside a character that nobody would see stands its code, which is no part of the text when
 * it is copied; and no character turns what is around it.
 */
export const ExactText = ({ text }: { text: string }) =>
  textParts(text).map((part, index) =>
    part.code === undefined ? (
      <Fragment key={index}>{part.text}</Fragment>
    ) : (
      <span key={index} className={styles['hiddenCharacter']} data-code={part.code}>
        {part.text}
      </span>
    ),
  );
