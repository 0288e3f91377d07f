import { durationWords } from '../controls/time-words';
import type { StepStatus } from './step-results';

const number = new Intl.NumberFormat('en');
const bytes = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const plural = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

export const words = {
  runs: 'Runs',
  run: 'Run',
  runOf: (flow: string) => `Run of ${flow}`,
  loading: 'Loading the run…',
  way: 'Where you are',
  after: (duration: string) => `after ${duration}`,
  since: (duration: string) => `for ${duration}`,
  startedBy: (trigger: string) => `started by ${trigger}`,
  queued: (duration: string) => `waited ${duration} to begin`,
  version: 'version of',
  draft: 'draft',
  test: 'Testing',
  archived: 'archived',
  parent: 'Started by run',
  retryOf: 'Retry of run',
  retriedAs: 'Retried:',
  children: 'Started runs:',
  allOfThem: 'All of them',
  stepFailed: (name: string) => `Step “${name}” failed: `,
  showStep: 'Show the step',
  views: 'Views of the run',
  timeline: 'Timeline',
  canvas: 'Canvas',
  loadingCanvas: 'Loading the flow…',
  didNotRun: 'The run did not come to this step.',
  didNotRunHere: 'The run did not come to this step in the iteration that is shown.',
  loadingStep: 'Loading the step…',
  logs: 'Logs',
  json: 'JSON',
  noSteps: 'No step has run yet.',
  stepsGone: 'What the steps did is no longer kept.',
  stepStatus: {
    SUCCEEDED: 'Succeeded',
    FAILED: 'Failed',
    PAUSED: 'Paused',
    RUNNING: 'Running',
    STOPPED: 'Stopped',
  } satisfies Record<StepStatus, string>,
  waited: (duration: string) => `waited ${duration}`,
  tries: (count: number) => plural(count, 'try', 'tries'),
  iteration: 'Iteration',
  ofIterations: (count: number) => `of ${number.format(count)}`,
  earlier: 'Previous iteration',
  later: 'Next iteration',
  firstFailed: 'First failed',
  step: 'Step',
  closeStep: 'Close',
  partsOf: (name: string) => `Parts of ${name}`,
  input: 'Input',
  output: 'Output',
  error: 'Error',
  noInput: 'The step has no input.',
  noLogs: 'Nothing was written to the log.',
  moreLogs: 'Show more lines',
  download: 'Download',
  downloadRun: 'Download the run as JSON',
  outputInFile: (size: number) => `The output has ${sizeWords(size)} and is kept in a file.`,
  outputTooLarge: 'It is too large to be shown here.',
  stepsAreLarge: (size: number) =>
    `The steps of this run have ${sizeWords(size)}. Timeline and canvas read them in parts.`,
  stepsTooLarge: 'They are too large to be loaded here at once.',
  loadOutput: (size: number) => `Load ${sizeWords(size)}`,
  loadingOutput: 'Loading the output…',
  openInEditor: 'Open in editor with this data',
  retry: 'Retry',
  retryRun: 'Retry this run',
  retryText: 'A retry is a new run. Steps that run again have their effects again.',
  strategy: 'Where to begin',
  strategies: {
    FROM_FAILED_STEP: 'At the failed step, with the results before it',
    ON_LATEST_VERSION: 'At the trigger, on the published version',
  },
  cancelRun: 'Cancel run',
  cancelText: (count: number) =>
    count === 0
      ? 'This run has ended already.'
      : 'This run stops at once, and so do the runs that it started. Steps that have ended are not undone.',
  counting: 'Looking at the run…',
  rerun: 'Rerun',
  rerunRun: 'Rerun',
  rerunHere: 'Rerun from here…',
  fromStep: 'From step',
  theTrigger: 'the trigger, all steps again',
  inIterations: (iterations: readonly number[]) => `iteration ${iterations.map((each) => each + 1).join(' › ')}`,
  versionToRun: 'Version',
  versions: {
    same: 'The same version',
    latest: 'The published version',
    draft: 'The latest version, also unpublished',
  },
  iterationOf: (loop: string, count: number) => `Iteration of ${loop} (1 to ${number.format(count)})`,
  otherInput: 'Give the trigger another output',
  newInput: 'Output of the trigger (JSON)',
  notJson: (why: string) => `This is not JSON: ${why}`,
  planning: 'Asking for the plan…',
  plan: (effects: number, kept: number) =>
    `${effects === 0 ? 'No step with an effect on the outside runs again' : `${plural(effects, 'step', 'steps')} with an effect on the outside may run`}; ${plural(kept, 'result is', 'results are')} reused.`,
  ranBefore: 'had its effect before',
  close: 'Close',
};

const MEGABYTE = 1_000_000;

const sizeWords = (size: number): string =>
  size < MEGABYTE ? `${number.format(Math.ceil(size / 1_000))} kB` : `${bytes.format(size / MEGABYTE)} MB`;

export const stepDuration = (ms: number): string => (ms > 0 && ms < 1 ? '< 1 ms' : durationWords(ms));
