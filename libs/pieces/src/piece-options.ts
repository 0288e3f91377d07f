import type { PropDescription } from '@millrace/domain';
import { describeProps } from './describe-piece';
import type { Choice, OptionsContext, Prop } from './framework/props';

export interface OptionsRequest {
  pieceName: string;
  /** Of an action or a trigger. */
  name: string;
  propName: string;
  /** What the author has chosen so far, `auth` already as what the connection holds. */
  input: Readonly<Record<string, unknown>>;
  searchValue?: string;
}

export type PieceOptions =
  { kind: 'options'; options: readonly Choice[] } | { kind: 'props'; props: Readonly<Record<string, PropDescription>> };

/** What there is to choose from, or to fill in. Null: the prop has nothing of the kind. Throws what the piece throws. */
export async function optionsOf(
  prop: Prop,
  input: Readonly<Record<string, unknown>>,
  context: OptionsContext,
): Promise<PieceOptions | null> {
  if (prop.kind === 'dynamic') return { kind: 'props', props: describeProps(await prop.props(input, context)) };
  if (prop.kind !== 'dropdown' && prop.kind !== 'multi_select') return null;
  const { options } = prop;
  if (typeof options === 'function') return { kind: 'options', options: await options(input, context) };
  return { kind: 'options', options: options.filter(({ label }) => includesText(label, context.searchValue ?? '')) };
}

const includesText = (label: string, searched: string): boolean => label.toLowerCase().includes(searched.toLowerCase());
