import { aFlow } from '../../testing/a-flow';
import { aFlowVersion, codeStep, webhookTrigger } from '../../testing/a-flow-version';
import type { PopulatedFlow } from '../flow';
import type { CodeAction, FlowVersion, PieceTrigger } from '../flow-version';

// Builders of a draft and of a flow that was never published, for tests of edits.

export const aTrigger = (more: Partial<PieceTrigger> = {}): PieceTrigger => ({
  ...webhookTrigger([], { authType: 'none' }),
  ...more,
});

export const aCodeStep = (more: Partial<CodeAction> = {}): CodeAction => ({ ...codeStep('step_1'), ...more });

export const aDraft = (more: Partial<FlowVersion> = {}): FlowVersion => aFlowVersion([], { state: 'DRAFT', ...more });

export const aFlowWithDraft = (more: Partial<PopulatedFlow> = {}): PopulatedFlow => ({
  ...aFlow({ id: aDraft().flowId, status: 'DISABLED' }),
  version: aDraft(),
  ...more,
});
