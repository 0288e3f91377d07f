import { Clock, ConnectionSharing, FlowControl, RunEvents, RunMeters } from '@millrace/domain';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { TriggerItems } from '../requests/trigger-items';
import { RunTracer } from './run-tracer';

/** The token of the number of seconds that a run may take. */
export const FLOW_TIMEOUT_SECONDS = Symbol('FlowTimeoutSeconds');

/** The services and the time limit that all runs of this worker share. */
@Injectable()
export class RunServices {
  constructor(
    readonly clock: Clock,
    readonly events: RunEvents,
    @Inject(FLOW_TIMEOUT_SECONDS) readonly timeoutSeconds: number,
    /** Without it this worker executes no run of a flow that has control. */
    @Optional() readonly control?: FlowControl,
    /** Without it an answer to a sender cannot contain values of connections. */
    @Optional() readonly sharing?: ConnectionSharing,
    /** Without it nothing is counted. */
    @Optional() readonly meters?: RunMeters,
    /** Without it no walk is followed. */
    @Optional() readonly tracer?: RunTracer,
    /** Without it every run begins with its payload as it is. */
    @Optional() readonly triggerItems?: TriggerItems,
  ) {}
}
