import { useId, type ReactNode } from 'react';
import { usePart } from '../controls/use-part';
import { TextAreaField } from '../controls/field';
import { useSurroundings } from './expression-context';
import styles from './expression-field.module.css';
import { PreviewLine } from './preview-line';
import { usePreview } from './use-preview';

const loadPart = () => import('./expression-part');

interface ExpressionFieldProps {
  label: string;
  /** Leaves the label to screen readers, where the place of the field says it already. */
  isLabelHidden?: boolean;
  value: string;
  onChange: (text: string) => void;
  isReadOnly: boolean;
  language?: 'text' | 'json';
  isOneLine?: boolean;
  placeholder?: string;
  /** What is wrong with the text besides its expressions; it is said below the field. */
  problem?: string | null;
  /** What stands at the end of the label, such as the switch to another kind of field. */
  tools?: ReactNode;
}

/** A text with expressions in `{{ }}`. Below it stands what they give for the sample data, or what is wrong with them. */
export function ExpressionField(props: ExpressionFieldProps) {
  const { label, isLabelHidden = false, value, onChange, isReadOnly, problem = null, tools } = props;
  const { language = 'text', isOneLine = false, placeholder } = props;
  const id = useId();
  const { variables, target } = useSurroundings();
  const preview = usePreview(value);
  const loading = usePart(loadPart);
  if (loading.state === 'failed')
    return (
      <TextAreaField
        {...{ label, isLabelHidden, placeholder, problem }}
        rows={3}
        spellCheck={false}
        readOnly={isReadOnly}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  const shape = { className: styles['input'], 'data-lines': isOneLine ? 'one' : language };
  return (
    <div className={styles['field']}>
      <div className={styles['head']} data-hidden={isLabelHidden || undefined}>
        <span id={`${id}-label`} className={styles['label']}>
          {label}
        </span>
        {tools}
      </div>
      {loading.state === 'loading' ? (
        <div aria-busy="true" {...shape}>
          {value.slice(0, 200)}
        </div>
      ) : (
        <div {...shape}>
          <loading.part.ExpressionPart
            labelledBy={`${id}-label`}
            describedBy={`${id}-says`}
            mistakeAt={preview.kind === 'evaluated' && 'position' in preview ? preview.position : null}
            {...{ value, onChange, isReadOnly, variables, language, isOneLine, placeholder, target }}
          />
        </div>
      )}
      <div id={`${id}-says`} className={styles['says']}>
        {problem !== null && <p className={styles['bad']}>{problem}</p>}
        <PreviewLine text={value} preview={preview} />
      </div>
    </div>
  );
}
