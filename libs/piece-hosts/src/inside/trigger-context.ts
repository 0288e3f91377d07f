import { commonContext, propsValueOf } from './call-context';
import { filesOf } from './call-files';
import { authFor, type ContextVersion } from './context-version';
import type { Ask, TriggerRequest } from './requests';

/** What a hook told beside its result. */
export interface TriggerMarks {
  /** The events of the app that the flow listens to, and whose they are. */
  listeners: unknown[];
  schedule?: { readonly cronExpression: string; readonly timezone: string } | { readonly intervalMs: number };
}

interface Schedule {
  readonly cronExpression?: string;
  readonly timezone?: string;
  readonly intervalMs?: number;
}

/** Makes the context of a hook of a trigger. */
export function triggerContext(ask: Ask, request: TriggerRequest, version: ContextVersion) {
  const marks: TriggerMarks = { listeners: [] };
  const context = {
    ...commonContext(ask, request, version),
    auth: authFor(request.auth, version),
    propsValue: propsValueOf(request, version),
    payload: request.payload ?? {},
    webhookUrl: request.webhookUrl,
    isRepublish: request.isRepublished ?? false,
    run: { id: request.runId },
    files: filesOf(ask),
    app: { createListeners: (listener: unknown) => void marks.listeners.push(listener) },
    setSchedule: ({ cronExpression, timezone = 'UTC', intervalMs }: Schedule) => {
      marks.schedule =
        intervalMs === undefined
          ? { cronExpression: String(cronExpression), timezone: String(timezone) }
          : { intervalMs: Number(intervalMs) };
    },
  };
  return { context, marks };
}
