import { isJsonObject } from '../../../json/json-reader';
import type { Migration } from './migration';

/**
 * `inputUiInfo` was the editor's memory of a step: which inputs are given as expressions, now `propertySettings`, and
 * sample data, which an import does not take over.
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

/** Only marks of inputs that the step has: others were left behind by an earlier choice of action. */
function dynamic(customized: unknown, input: unknown): Record<string, { type: 'DYNAMIC' }> {
  if (!isJsonObject(customized) || !isJsonObject(input)) return {};
  const names = Object.keys(customized).filter((name) => Object.hasOwn(input, name) && Boolean(customized[name]));
  return Object.fromEntries(names.map((name) => [name, { type: 'DYNAMIC' as const }]));
}
