import {
  iterationPrefix,
  OUTSIDE_LOOPS,
  pathIn,
  type IterationPrefix,
  type JsonText,
  type StepPath,
} from '@millrace/domain';
import type { ScopeEntry } from '../expressions/scope';
import type { LoopIteration } from '../outputs/loop-output';
import { WebhookOutput } from '../outputs/webhook-output';

/**
 * The variables that expressions see, and the iteration in which their step stands. Each iteration of a loop has a
 * scope of its own inside the scope of the loop. In it the loop's name means the current item and index. When the
 * iteration ends, the variables of its steps disappear. Children of a router belong to the router's scope.
 */
export class RunScope {
  private readonly entries = new Map<string, ScopeEntry>();

  private constructor(
    private readonly outer: RunScope | null,
    /** The beginning of the paths of all steps in this scope. */
    readonly iteration: IterationPrefix,
  ) {}

  static ofRun(variables: Readonly<Record<string, ScopeEntry>>): RunScope {
    const scope = new RunScope(null, OUTSIDE_LOOPS);
    for (const [name, entry] of Object.entries(variables)) scope.set(name, entry);
    return scope;
  }

  /** Makes the scope of one iteration. Indexes in paths count from 0, and those of iterations from 1. */
  ofIteration(loopName: string, iteration: LoopIteration): RunScope {
    const scope = new RunScope(this, iterationPrefix(this.pathOf(loopName), iteration.index - 1));
    scope.set(loopName, iteration);
    return scope;
  }

  pathOf(stepName: string): StepPath {
    return pathIn(this.iteration, stepName);
  }

  set(name: string, entry: ScopeEntry): void {
    this.entries.set(name, entry);
  }

  /** Sets a variable in the outermost scope, which is that of the run. */
  setForRun(name: string, entry: ScopeEntry): void {
    if (this.outer) this.outer.setForRun(name, entry);
    else this.set(name, entry);
  }

  find(name: string): ScopeEntry | undefined {
    const entry = this.entries.get(name);
    return entry ?? this.outer?.find(name);
  }

  /** The named variables as the JSON text of one object. Unknown names are left out. */
  textOf(names: readonly string[], withRawBody = false): JsonText {
    const members: string[] = [];
    for (const name of names) {
      const entry = this.find(name);
      const text = withRawBody && entry instanceof WebhookOutput ? entry.completeText : entry?.textAt([]);
      if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${members.join(',')}}`;
  }
}
