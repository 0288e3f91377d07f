import type { PropDescription } from '@millrace/domain';
import { describeProps } from './describe-piece';
import type { Choice, FoundChoices, OptionsContext, Prop } from './framework/props';

export interface OptionsRequest {
  pieceName: string;
  /** The version of a package. A piece that comes with the service has one version. */
  pieceVersion?: string;
  /** The name of an action or a trigger. */
  name: string;
  propName: string;
  /** The inputs that the author has given so far. Its member `auth` is the value of the connection. */
  input: Readonly<Record<string, unknown>>;
  searchValue?: string;
}

export type PieceOptions =
  | ({ kind: 'options' } & FoundChoices)
  | { kind: 'props'; props: Readonly<Record<string, PropDescription>> };

/**
 * The options of a dropdown, or the props of a `dynamic` prop. Null for a prop of another kind. Rejects with the error
 * that the piece throws.
 */
export async function optionsOf(
  prop: Prop,
  input: Readonly<Record<string, unknown>>,
  context: OptionsContext,
): Promise<PieceOptions | null> {
  if (prop.kind === 'dynamic') return { kind: 'props', props: describeProps(await prop.props(input, context)) };
  if (prop.kind !== 'dropdown' && prop.kind !== 'multi_select') return null;
  const { options } = prop;
  if (typeof options === 'function') return { kind: 'options', ...foundChoices(await options(input, context)) };
  return { kind: 'options', options: options.filter(({ label }) => includesText(label, context.searchValue ?? '')) };
}

const foundChoices = (found: FoundChoices | readonly Choice[]): FoundChoices =>
  'options' in found ? found : { options: found };

const includesText = (label: string, searched: string): boolean => label.toLowerCase().includes(searched.toLowerCase());
