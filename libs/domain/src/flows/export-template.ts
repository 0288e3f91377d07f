import type { TemplateExport } from './flow-template';
import type { FlowStep, FlowTrigger, FlowVersion } from './flow-version';
import { mapSteps } from './map-steps';

/**
 * The version as a template: what an import needs to make it again, without sample data. The members of each step come
 * in one order, so that a flow exported, imported and exported again is the same text but for `created`.
 */
export function exportTemplate(version: FlowVersion, now: Date): TemplateExport {
  const { displayName, trigger, schemaVersion, notes } = version;
  return {
    name: displayName,
    description: '',
    template: { displayName, trigger: withoutSampleData(trigger), schemaVersion, notes },
    created: now,
  };
}

const withoutSampleData = (trigger: FlowTrigger): FlowTrigger =>
  mapSteps(trigger, <S extends FlowStep>(step: S): S => {
    const { name, displayName, valid, skip, type, settings, nextAction, ...bodies } = step as S & { skip?: boolean };
    const { sampleData: _dropped, ...kept } = settings as { sampleData?: unknown };
    return {
      ...{ name, displayName, valid },
      ...(skip === undefined ? {} : { skip }),
      ...{ type, settings: kept },
      ...bodies,
      ...(nextAction ? { nextAction } : {}),
    } as S;
  });
