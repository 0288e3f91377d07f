import {
  addTags,
  countsAsStep,
  hiddenRecord,
  isLoop,
  type RecordedRun,
  type RecordedStep,
  type RunResponse,
  type HiddenValues,
  type StepRecord,
} from '@millrace/domain';
import { RunStorage } from './run-storage';
import type { StepSink } from '../ports/step-sink';
import { WaitsOfRun, type WaitEndings } from './waits-of-run';

const NONE: readonly string[] = [];

interface RecorderSettings {
  sink: StepSink;
  hidden: HiddenValues;
  storageBytes: number;
  waitEndings: WaitEndings | undefined;
}

/**
 * Takes the records of a walk. Its totals (steps, tags, response, waits, storage) include the records of earlier
 * claims.
 */
export class Recorder {
  stepsCount: number;
  tags = NONE;
  response: RunResponse | undefined;
  readonly storage: RunStorage;
  private readonly sink: StepSink;
  private readonly collections: StepRecord[][] = [];
  private readonly hidden: HiddenValues;
  private ownWaits: WaitsOfRun | null = null;

  constructor(
    private readonly earlier: RecordedRun,
    private readonly settings: RecorderSettings,
  ) {
    this.sink = settings.sink;
    this.hidden = settings.hidden;
    this.storage = new RunStorage(settings.storageBytes, earlier.records);
    this.stepsCount = earlier.records.length === 0 ? 0 : earlier.stepsCount;
    for (const step of earlier.records) if (step.effects ?? step.wait) this.note(step);
  }

  /** The waits of the run. They are made when first needed, because most runs have none. */
  get waits(): WaitsOfRun {
    return (this.ownWaits ??= new WaitsOfRun(this.settings.waitEndings));
  }

  /** Hides the values of connections in one record, counts it and stores it. */
  record(read: StepRecord): void | Promise<void> {
    const step = hiddenRecord(read, this.hidden);
    if (countsAsStep(step) && !this.earlier.isCounted(step.path)) this.stepsCount++;
    this.storage.add(step);
    if (step.effects ?? step.wait) this.note(step);
    for (const collection of this.collections) collection.push(asRead(step, read));
    return this.sink.record(step, this.stepsCount);
  }

  /** Adds a step that the walk replays from an earlier record to the open collections. */
  pass({ input, output, ...step }: RecordedStep): void {
    if (!this.isCollecting) return;
    const record = { ...step, input: JSON.stringify(input ?? null), output: JSON.stringify(output ?? null) };
    for (const collection of this.collections) collection.push(record);
  }

  get isCollecting(): boolean {
    return this.collections.length > 0;
  }

  /** Returns a list to which every later record is added, until the list is given to `stopCollecting`. */
  startCollecting(): StepRecord[] {
    const collection: StepRecord[] = [];
    this.collections.push(collection);
    return collection;
  }

  stopCollecting(collection: StepRecord[]): void {
    this.collections.splice(this.collections.indexOf(collection), 1);
  }

  masked(text: string): string {
    return this.hidden.mask(text);
  }

  /**
   * Adds the effects and waits of a record. Only the record counts, so a walk after a crash adds them in the same
   * order.
   */
  private note(step: StepRecord | RecordedStep): void {
    const { tags, response, opens } = step.effects ?? {};
    if (tags) this.tags = addTags(this.tags, tags);
    if (response) this.response ??= response;
    if (opens ?? step.wait) this.waits.note(step);
  }
}

/** The record as expressions read it: what a later walk reads again is not hidden. */
function asRead(stored: StepRecord, read: StepRecord): StepRecord {
  if (stored === read) return stored;
  const { references: _references, ...step } = stored;
  return { ...step, input: isLoop(read) ? read.input : stored.input, output: read.output };
}
