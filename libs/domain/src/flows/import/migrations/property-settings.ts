import { isJsonObject } from '../../../json/json-reader';
import type { Migration } from './migration';

/**
 * Replaces `inputUiInfo`, in which editors stored which inputs are expressions. This is now `propertySettings`. Editors
 * also stored sample data there, which an import drops.
 */
export const propertySettings: Migration = {
  to: 7,
  anyVersion: true,
  migrate(step) {
    const settings = step['settings'];
    if (!isJsonObject(settings) || !isJsonObject(settings['inputUiInfo'])) return step;
    if (step['type'] !== 'PIECE' && step['type'] !== 'PIECE_TRIGGER') return step;
    const { inputUiInfo, ...others } = settings;
    const customized = (inputUiInfo as { customizedInputs?: unknown }).customizedInputs;
    return { ...step, settings: { propertySettings: dynamic(customized, settings['input']), ...others } };
  },
};

/** The inputs that are expressions. Marks of inputs that the step lacks are dropped: they belong to a former action. */
function dynamic(customized: unknown, input: unknown): Record<string, { type: 'DYNAMIC' }> {
  if (!isJsonObject(customized) || !isJsonObject(input)) return {};
  const names = Object.keys(customized).filter((name) => Object.hasOwn(input, name) && Boolean(customized[name]));
  return Object.fromEntries(names.map((name) => [name, { type: 'DYNAMIC' as const }]));
}
