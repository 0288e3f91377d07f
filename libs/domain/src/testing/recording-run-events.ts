import { LiveUpdates, type ChangedRun, type StepState } from '../live/live-updates';
import type { RunAnswer } from '../runs/run-answers';
import { RunFamilies } from '../runs/run-families';
import { RunEvents } from '../runs/run-events';
import { RunNotices } from '../runs/run-notices';

/** Notes what is published to clients that watch: `run <status>`, or `<path> <status>` of a step. */
class RecordingLive extends LiveUpdates {
  override isWatched = true;

  constructor(private readonly shown: string[]) {
    super();
  }

  override runChanged({ id, status }: ChangedRun): void {
    this.shown.push(`${id} ${status ?? 'changed'}`);
  }

  override stepChanged(_runId: string, { path, status }: StepState): void {
    this.shown.push(`${path} ${status}`);
  }

  override flowChanged(): void {
    // Runs change no flow.
  }

  override whenWatched(): void {
    // What is watched does not change.
  }
}

/** Run events that note what they show to clients that watch, and do nothing else. */
export function shownRunEvents() {
  const shown: string[] = [];
  const ignored: string[] = [];
  const live = new RecordingLive(shown);
  const events = new RunEvents(new RecordingFamilies(ignored), new RecordingNotices(ignored), () => undefined, live);
  return { events, shown, live };
}

/**
 * Run events that note what they publish: `parent of <run>`, or `answer of <run>: <body>` with `none` for no response.
 */
export function recordingRunEvents() {
  const told: string[] = [];
  const events = new RunEvents(new RecordingFamilies(told), new RecordingNotices(told), (message) =>
    told.push(message),
  );
  return { events, told };
}

class RecordingFamilies extends RunFamilies {
  constructor(private readonly told: string[]) {
    super();
  }

  override notifyParent(childRunId: string): Promise<void> {
    this.told.push(`parent of ${childRunId}`);
    return Promise.resolve();
  }

  override notifyParents(): Promise<number> {
    return Promise.resolve(0);
  }
}

class RecordingNotices extends RunNotices {
  constructor(private readonly told: string[]) {
    super();
  }

  override listen(): void {
    // No listener is needed: these tests end no run from outside.
  }

  override announceAnswered(runId: string, { response }: RunAnswer): Promise<void> {
    this.told.push(`answer of ${runId}: ${response ? String(response.body) : 'none'}`);
    return Promise.resolve();
  }
}
