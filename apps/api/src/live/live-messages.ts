import type { ChangedFlow, FlowRun, StatusCounts, StepState } from '@millrace/domain';
import type { ErrorBody } from './error-body';
import type { QueueCounts } from '@millrace/domain';
import type { DefaultEventsMap, Server, Socket } from 'socket.io';
import type { LiveSession } from './live-access';

// The messages between this service and the clients that watch runs and flows. docs/live-updates.md describes them.

export const LIVE_PATH = '/api/socket.io';

/** What a client learns when it has entered a room. `run` is the run as it is now. */
export interface Subscribed {
  room: string;
  run?: FlowRun;
}

export type Acknowledge = (answer: Subscribed | { error: ErrorBody }) => void;

/** What clients send: the name of a room, and the function that takes the answer. Nothing is checked yet. */
export interface ClientMessages {
  subscribe: (...args: unknown[]) => void;
  unsubscribe: (...args: unknown[]) => void;
}

export interface StepMessage extends StepState {
  runId: string;
  stepName: string;
}

export interface SummaryMessage {
  projectId: string;
  /** How many runs took each status since the last summary. */
  counts: StatusCounts;
  /** The newest runs that changed since then, the newest first. */
  runs: FlowRun[];
}

/** What clients receive. */
export interface ServerMessages {
  'flow_run.updated': (run: FlowRun) => void;
  'flow_run.step': (step: StepMessage) => void;
  'flow_runs.summary': (summary: SummaryMessage) => void;
  'flow.updated': (flow: ChangedFlow) => void;
  'queue.metrics': (counts: QueueCounts) => void;
  /** The connection is about to be closed, for this reason. */
  closed: (error: ErrorBody) => void;
}

interface SocketData {
  session: LiveSession;
}

export type LiveSocketServer = Server<ClientMessages, ServerMessages, DefaultEventsMap, SocketData>;
export type LiveSocket = Socket<ClientMessages, ServerMessages, DefaultEventsMap, SocketData>;
