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
 * What expressions see, and where their step stands. Each iteration of a loop has a scope of its own inside the scope
 * of the loop: steps of the body are gone when it ends, and while it lasts the loop's name means its current item.
 * Children of a router stand in the router's scope.
 */
export class RunScope {
  private readonly entries = new Map<string, ScopeEntry>();

  private constructor(
    private readonly outer: RunScope | null,
    /** What the paths of its steps begin with. */
    readonly iteration: IterationPrefix,
  ) {}

  static ofRun(variables: Readonly<Record<string, ScopeEntry>>): RunScope {
    const scope = new RunScope(null, OUTSIDE_LOOPS);
    for (const [name, entry] of Object.entries(variables)) scope.set(name, entry);
    return scope;
  }

  /** The scope of one iteration; its index in the path counts from 0. */
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

  /** Sets a variable of the run, wherever in it this scope is. */
  setForRun(name: string, entry: ScopeEntry): void {
    if (this.outer) this.outer.setForRun(name, entry);
    else this.set(name, entry);
  }

  find(name: string): ScopeEntry | undefined {
    const entry = this.entries.get(name);
    return entry ?? this.outer?.find(name);
  }

  /** The named variables as one JSON object, for code that looks at them. */
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
