import type { TemplateExport } from './flow-template';
import type { FlowStep, FlowTrigger, FlowVersion } from './flow-version';
import { mapSteps } from './map-steps';

/**
 * The version as a template, with everything that an import needs, but without sample data. The members of each step
 * have a fixed order, so that a flow that is exported, imported and exported again gives the same text except
 * `created`.
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
