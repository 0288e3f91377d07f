import {
  iterationPrefix,
  OUTSIDE_LOOPS,
  pathIn,
  type FlowAction,
  type FlowVersion,
  type IterationPrefix,
} from '@millrace/domain';
import { aFlowVersion, branch, codeStep, loop, pieceStep, router, webhookTrigger } from '@millrace/domain/testing';
import type { Random } from '../schedule/random';

/** What the only piece of the simulation does. It is read from the input of the step. */
export type Act =
  /** Fails the first `fails` calls, and may ask for a wait of `asksMs` before it is retried. */
  | { does: 'effect'; fails: number; ms: number; asksMs?: number }
  | { does: 'timer'; ms: number; times: number }
  /** Waits for a person; `withinMs` null leaves only the limit of a paused run. */
  | { does: 'human'; withinMs: number | null }
  /** Gives away a link of a request, without a wait for it. */
  | { does: 'link' }
  /** Starts a run and waits for its ending. A strict step fails unless that ending is SUCCEEDED. */
  | { does: 'child'; flow: string; isStrict: boolean }
  /** Starts a run without a wait for it. */
  | { does: 'start'; flow: string; failsParent: boolean }
  | { does: 'respond' }
  | { does: 'stop'; status: 'SUCCEEDED' | 'FAILED' };

export interface DrawnFlow {
  version: FlowVersion;
  /** The paths of the steps that are on record when a run went through the whole flow. */
  paths: readonly string[];
  /** Whether a run fails that meets no fault and whose children succeed. */
  fails: boolean;
  asksForApproval: boolean;
  nominalMs: number;
  /** How many of its runs may execute at once; null when the flow has no control. */
  limit: number | null;
}

/** The first `CALLABLE` flows may be called by others, and call no flow. */
export const FLOWS_IN_POOL = 900;
const CALLABLE = 300;
/** The flows that have control. Their numbers follow those of the pool. */
export const CONTROLLED_FLOWS = 60;
const MOST_ATTEMPTS = 4;
const ALWAYS_FAILS = 1_000;
const ALWAYS = [[{ operator: 'TEXT_EXACTLY_MATCHES', firstValue: 'a', secondValue: 'a' } as const]];
const NEVER = [[{ operator: 'TEXT_EXACTLY_MATCHES', firstValue: 'a', secondValue: 'b' } as const]];

export const flowName = (number: number): string => `flow-${number}`;

/** Draws the flow of this number. Each number always gives the same flow when `random` has the same seed. */
export function drawFlow(number: number, random: Random): DrawnFlow {
  const drawing = new Drawing(random, number >= CALLABLE);
  const steps = drawing.steps(random.between(1, number >= CALLABLE ? 6 : 3), 0);
  const walked = walk(steps, OUTSIDE_LOOPS);
  const name = flowName(number);
  const { asksForApproval, nominalMs } = drawing;
  const limit = number >= FLOWS_IN_POOL ? random.between(1, 2) : null;
  const trigger = webhookTrigger(steps.map(withoutTwin));
  const settings = { ...trigger.settings, ...(limit !== null && { concurrency: { limit } }) };
  return {
    version: aFlowVersion([], { id: name, flowId: name, trigger: { ...trigger, settings } }),
    paths: walked.paths,
    fails: walked.end === 'failed',
    asksForApproval,
    nominalMs,
    limit,
  };
}

/** A step, together with what the walk over it needs to know. */
interface DrawnStep {
  action: FlowAction;
  end: End;
  iterations?: { count: number; body: DrawnStep[] };
  branches?: DrawnStep[][];
}

type End = 'goesOn' | 'failed' | 'stopped';

const withoutTwin = ({ action }: DrawnStep): FlowAction => action;

class Drawing {
  asksForApproval = false;
  nominalMs = 0;
  private count = 0;
  private previous: string | null = null;

  constructor(
    private readonly random: Random,
    private readonly callsOthers: boolean,
  ) {}

  steps(count: number, depth: number, inBranch = false): DrawnStep[] {
    const before = this.previous;
    const steps = Array.from({ length: count }, () => this.step(depth, inBranch));
    if (depth > 0) this.previous = before;
    return steps;
  }

  private step(depth: number, inBranch: boolean): DrawnStep {
    const { random } = this;
    const name = `s${++this.count}`;
    const dice = random.next();
    const step =
      depth < 2 && dice < 0.1
        ? this.loop(name, depth, inBranch)
        : depth < 2 && dice < 0.22
          ? this.router(name, depth)
          : dice < 0.42
            ? this.code(name)
            : this.piece(name, inBranch);
    this.previous = name;
    return step;
  }

  private loop(name: string, depth: number, inBranch: boolean): DrawnStep {
    const count = this.random.between(0, 3);
    const items = Array.from({ length: count }, (_, index) => index);
    const body = this.steps(this.random.between(1, 2), depth + 1, inBranch);
    const written = this.random.chance(0.5) ? items : `{{ [${items.join(', ')}].map((item) => item) }}`;
    return { action: loop(name, written, body.map(withoutTwin)), end: 'goesOn', iterations: { count, body } };
  }

  private router(name: string, depth: number): DrawnStep {
    const all = this.random.chance(0.75);
    const drawn = Array.from({ length: this.random.between(1, 3) }, (_, index) => ({
      isHeld: index === 0 || this.random.chance(0.8),
      steps: this.steps(this.random.between(1, 2), depth + 1, true),
      name: `branch ${index + 1}`,
    }));
    const branches = drawn.map(({ isHeld, steps, name: title }) =>
      branch(title, isHeld ? ALWAYS : NEVER, steps.map(withoutTwin)),
    );
    const executionType = all ? 'EXECUTE_ALL_MATCH' : 'EXECUTE_FIRST_MATCH';
    const taken = all ? drawn.filter(({ isHeld }) => isHeld) : drawn.slice(0, 1);
    return {
      action: router(name, branches, { executionType }),
      end: 'goesOn',
      branches: taken.map(({ steps }) => steps),
    };
  }

  private code(name: string): DrawnStep {
    return { action: codeStep(name, { ...this.from(), ms: this.duration() }), end: 'goesOn' };
  }

  private piece(name: string, inBranch: boolean): DrawnStep {
    const { random } = this;
    const retries = random.chance(0.5);
    const act = this.act(inBranch, retries);
    const continues = random.chance(0.3);
    const errorHandlingOptions = { retryOnFailure: { value: retries }, continueOnFailure: { value: continues } };
    const fails = act.does === 'effect' && act.fails >= (retries ? ALWAYS_FAILS : 1) && !continues;
    const stopped = act.does === 'stop' ? (act.status === 'FAILED' ? 'failed' : 'stopped') : 'goesOn';
    return {
      action: pieceStep(name, { ...this.from(), ...act }, { errorHandlingOptions }),
      end: fails ? 'failed' : stopped,
    };
  }

  private act(inBranch: boolean, retries: boolean): Act {
    const { random } = this;
    const dice = random.next();
    if (dice < 0.4)
      return { does: 'effect', fails: this.failures(retries), ms: this.duration(), asksMs: this.askedWait() };
    if (dice < 0.55) return { does: 'timer', ms: this.timer(), times: random.chance(0.2) ? 2 : 1 };
    if (dice < 0.7) return this.human();
    if (dice < 0.74) return { does: 'link' };
    if (dice < 0.8) return { does: 'respond' };
    // A step that stops the run beside a waiting branch would leave steps of that branch undone or not, depending on
    // order.
    if (dice < 0.82 && !inBranch) return { does: 'stop', status: random.pick(['SUCCEEDED', 'FAILED']) };
    if (!this.callsOthers) return { does: 'effect', fails: 0, ms: this.duration() };
    const flow = flowName(random.between(0, CALLABLE - 1));
    if (random.chance(0.6)) return { does: 'child', flow, isStrict: random.chance(0.3) };
    return { does: 'start', flow, failsParent: random.chance(0.5) };
  }

  private human(): Act {
    this.asksForApproval = true;
    return { does: 'human', withinMs: this.random.chance(0.2) ? this.random.between(1_000, 20_000) : null };
  }

  /** The wait that a failing effect asks for, in milliseconds. The run is paused when the wait exceeds ten seconds. */
  private askedWait(): number {
    return this.random.chance(0.3) ? this.random.between(5_000, 20_000) : 0;
  }

  /**
   * How many calls of an effect fail. A failure that is lost with its worker is not counted as an attempt, so a step
   * fails either always or less often than it is tried.
   */
  private failures(retries: boolean): number {
    if (this.random.chance(0.75)) return 0;
    return retries && this.random.chance(0.7) ? this.random.between(1, MOST_ATTEMPTS - 1) : ALWAYS_FAILS;
  }

  private timer(): number {
    const ms = this.random.pick([10, 300, 2_000, 20_000, 3_600_000]);
    this.nominalMs += ms;
    return ms;
  }

  private duration(): number {
    const { random } = this;
    const dice = random.next();
    const ms =
      dice < 0.85 ? random.between(0, 30) : dice < 0.97 ? random.between(300, 2_500) : random.between(5_000, 25_000);
    this.nominalMs += ms * 4;
    return ms;
  }

  private from(): Record<string, unknown> {
    return this.previous !== null && this.random.chance(0.4) ? { from: `{{ ${this.previous} }}` } : {};
  }
}

interface Walked {
  paths: string[];
  end: End;
}

function walk(steps: readonly DrawnStep[], iteration: IterationPrefix): Walked {
  const paths: string[] = [];
  for (const step of steps) {
    const inside = walkInside(step, iteration);
    paths.push(...inside.paths);
    if (inside.end === 'failed') return { paths, end: 'failed' };
    paths.push(pathIn(iteration, step.action.name));
    const end = inside.end === 'goesOn' ? step.end : inside.end;
    if (end !== 'goesOn') return { paths, end };
  }
  return { paths, end: 'goesOn' };
}

function walkInside({ action, iterations, branches = [] }: DrawnStep, iteration: IterationPrefix): Walked {
  const chains = iterations
    ? Array.from({ length: iterations.count }, (_, index) => ({
        steps: iterations.body,
        iteration: iterationPrefix(pathIn(iteration, action.name), index),
      }))
    : branches.map((steps) => ({ steps, iteration }));
  const paths: string[] = [];
  for (const chain of chains) {
    const walked = walk(chain.steps, chain.iteration);
    paths.push(...walked.paths);
    if (walked.end !== 'goesOn') return { paths, end: walked.end };
  }
  return { paths, end: 'goesOn' };
}
