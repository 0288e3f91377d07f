import { isJsonObject, type OutboundHttp } from '@millrace/domain';
import { coerceInput, type CoercedInput } from '../framework/coerce-input';
import type { OptionsContext, Props } from '../framework/props';

/** Coerces the input, and then the members of each `dynamic` input, whose props depend on the other inputs. */
export async function coerceAll(
  { props }: { props: Props },
  { given, written }: { given: Readonly<Record<string, unknown>>; written: unknown },
  context: { auth: unknown; http: OutboundHttp; signal: AbortSignal },
): Promise<CoercedInput> {
  const coerced = coerceInput(props, given, { written });
  if ('problems' in coerced) return coerced;
  const problems: string[] = [];
  const input = { ...coerced.input };
  for (const [name, prop] of Object.entries(props)) {
    if (prop.kind !== 'dynamic' || prop.takesAnyMembers) continue;
    const asked = await prop.props(coerced.input, context satisfies OptionsContext);
    const place = { under: name, written: membersOf(written)[name] };
    const inner = coerceInput(asked, membersOf(input[name]), place);
    if ('problems' in inner) problems.push(...inner.problems);
    else input[name] = inner.input;
  }
  return problems.length > 0 ? { problems } : { input };
}

export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {});
