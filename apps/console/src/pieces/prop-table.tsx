import { Table } from '../controls/table';
import type { Prop } from './piece-queries';
import { words } from './words';

const COLUMNS = [words.input, words.inFlows, words.kind, words.required, words.meaning];

interface PropTableProps {
  name: string;
  props: Readonly<Record<string, Prop>>;
}

/** The inputs of a trigger, an action or a connection. */
export const PropTable = ({ name, props }: PropTableProps) => (
  <Table name={name} columns={COLUMNS}>
    {withMembers(props).map(([key, prop]) => (
      <tr key={key}>
        <td>{prop.displayName}</td>
        <td>
          <code>{key}</code>
        </td>
        <td>{kindOf(prop)}</td>
        <td>{prop.required ? words.yes : words.no}</td>
        <td>{meaningOf(prop)}</td>
      </tr>
    ))}
  </Table>
);

/** The inputs, each before the members that it always has, or that each of its items has. */
const withMembers = (props: Readonly<Record<string, Prop>>, prefix = ''): [key: string, prop: Prop][] =>
  Object.entries(props).flatMap(([name, prop]): [string, Prop][] => [
    [`${prefix}${name}`, prop],
    ...withMembers(prop.members ?? {}, `${prefix}${name}${prop.kind === 'array' ? '[]' : ''}.`),
  ]);

const kindOf = ({ kind, isSecret }: Prop): string => {
  const word = words.kinds[kind] ?? kind;
  return isSecret ? `${word}, ${words.secret}` : word;
};

const meaningOf = ({ description, options, dependsOnOthers, defaultValue }: Prop): string =>
  [
    description,
    options && words.choices(options.map(({ label }) => label).join(', ')),
    dependsOnOthers && words.dependent,
    defaultValue !== undefined && words.initial(JSON.stringify(defaultValue)),
  ]
    .filter(Boolean)
    .join(' ');
