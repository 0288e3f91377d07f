import { Cross2Icon } from '@radix-ui/react-icons';
import { Button } from '../controls/button';
import { CheckField, ChoiceField } from '../controls/field';
import { JsonField } from '../prop-form/json-field';
import { ValueField } from '../prop-form/value-field';
import {
  addedCondition,
  addedGroup,
  changedCondition,
  comparesTexts,
  comparesTwo,
  isConditions,
  withOperator,
  withoutCondition,
  type Condition,
  type Conditions,
} from './conditions';
import styles from './flow-editor.module.css';
import { words } from './panel-words';

interface ConditionsFieldProps {
  id: string;
  value: unknown;
  isReadOnly: boolean;
  onChange: (conditions: unknown) => void;
}

/** When a branch is taken: groups of conditions, of which all in any group must hold. */
export function ConditionsField({ id, value, isReadOnly, onChange }: ConditionsFieldProps) {
  const groups: unknown = value ?? [];
  if (!isConditions(groups))
    return <JsonField label={words.conditionsJson} shape="list" {...{ id, value, isReadOnly, onChange }} />;
  return (
    <>
      {groups.length === 0 && <p className={styles['quiet']}>{words.neverTaken}</p>}
      {groups.map((group, index) => (
        <Group key={index} {...{ groups, group, index, isReadOnly, onChange }} />
      ))}
      <div>
        <Button disabled={isReadOnly} onClick={() => onChange(addedGroup(groups))}>
          {words.addGroup}
        </Button>
      </div>
    </>
  );
}

interface GroupProps {
  groups: Conditions;
  group: readonly Condition[];
  index: number;
  isReadOnly: boolean;
  onChange: (conditions: Conditions) => void;
}

function Group({ groups, group, index, isReadOnly, onChange }: GroupProps) {
  return (
    <fieldset className={styles['branch']}>
      <legend>{index === 0 ? words.when : words.orWhen}</legend>
      {group.length === 0 && <p className={styles['quiet']}>{words.alwaysTaken}</p>}
      {group.map((condition, at) => (
        <ConditionFields
          key={at}
          number={at + 1}
          condition={condition}
          isReadOnly={isReadOnly}
          onChange={(changed) => onChange(changedCondition(groups, index, at, changed))}
          onRemove={() => onChange(withoutCondition(groups, index, at))}
        />
      ))}
      <div>
        <Button disabled={isReadOnly} onClick={() => onChange(addedCondition(groups, index))}>
          {words.addCondition}
        </Button>
      </div>
    </fieldset>
  );
}

interface ConditionFieldsProps {
  number: number;
  condition: Condition;
  isReadOnly: boolean;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}

const OPERATORS = Object.entries(words.operators).map(([value, label]) => ({ value, label }));

function ConditionFields({ number, condition, isReadOnly, onChange, onRemove }: ConditionFieldsProps) {
  const { firstValue, operator, secondValue, caseSensitive = false } = condition;
  const isKnown = Object.hasOwn(words.operators, operator);
  return (
    <div role="group" aria-label={words.condition(number)} className={styles['condition']}>
      <div className={styles['conditionHead']}>
        <span className={styles['quiet']}>{number > 1 && words.and}</span>
        <Button
          className={styles['bare']}
          aria-label={words.removeCondition(number)}
          title={words.remove}
          disabled={isReadOnly}
          onClick={onRemove}
        >
          <Cross2Icon aria-hidden />
        </Button>
      </div>
      <ValueField
        label={words.firstValue}
        value={firstValue}
        isReadOnly={isReadOnly}
        onChange={(value) => onChange({ ...condition, firstValue: value })}
      />
      <ChoiceField
        label={words.operator}
        value={operator}
        choices={isKnown ? OPERATORS : [{ value: operator, label: operator }, ...OPERATORS]}
        isDisabled={isReadOnly}
        onChoose={(chosen) => onChange(withOperator(condition, chosen))}
      />
      {comparesTwo(operator) && (
        <ValueField
          label={words.secondValue}
          value={secondValue}
          isReadOnly={isReadOnly}
          onChange={(value) => onChange({ ...condition, secondValue: value })}
        />
      )}
      {comparesTexts(operator) && (
        <CheckField
          label={words.caseSensitive}
          isChecked={caseSensitive}
          isDisabled={isReadOnly}
          onCheck={(isChecked) => onChange({ ...condition, caseSensitive: isChecked })}
        />
      )}
    </div>
  );
}
