import { JsonValue, type ScopeEntry } from './json-value';
import type { PathKeys } from './expressions/path';
import type { JsonText } from '@millrace/domain';

/**
 * What expressions see, and where their step stands. Each iteration of a loop has a scope of its own inside the scope
 * of the loop: steps of the body are gone when it ends, and while it lasts the loop's name means its current item.
 * Children of a router stand in the router's scope.
 */
export class RunScope {
  private readonly entries = new Map<string, ScopeEntry>();

  private constructor(
    private readonly outer: RunScope | null,
    readonly pathPrefix: string,
  ) {}

  static ofRun(variables: Readonly<Record<string, ScopeEntry>>): RunScope {
    const scope = new RunScope(null, '');
    for (const [name, entry] of Object.entries(variables)) scope.set(name, entry);
    return scope;
  }

  /** The scope of one iteration; its index in the path counts from 0. */
  ofIteration(loopName: string, iteration: LoopIteration): RunScope {
    const scope = new RunScope(this, `${this.pathOf(loopName)}[${iteration.index - 1}].`);
    scope.set(loopName, iteration);
    return scope;
  }

  pathOf(stepName: string): string {
    return this.pathPrefix + stepName;
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
  textOf(names: readonly string[]): JsonText {
    const members: string[] = [];
    for (const name of names) {
      const text = this.find(name)?.textAt([]);
      if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${members.join(',')}}`;
  }
}

/** A loop's own output at one moment: `{item, index}`, the index counting from 1; 0 before the first. */
export class LoopIteration implements ScopeEntry {
  static readonly NONE = new LoopIteration(null, 0);
  private readonly item: JsonValue;

  constructor(
    item: unknown,
    readonly index: number,
  ) {
    this.item = JsonValue.ofValue(item);
  }

  get text(): JsonText {
    return `{"item":${this.item.text},"index":${this.index}}`;
  }

  get value(): { item: unknown; index: number } {
    return { item: this.item.value, index: this.index };
  }

  valueAt([key, ...rest]: PathKeys): unknown {
    if (key === undefined) return this.value;
    if (key === 'item') return this.item.valueAt(rest);
    return key === 'index' && rest.length === 0 ? this.index : undefined;
  }

  textAt([key, ...rest]: PathKeys): JsonText | undefined {
    if (key === undefined) return this.text;
    if (key === 'item') return this.item.textAt(rest);
    return key === 'index' && rest.length === 0 ? String(this.index) : undefined;
  }
}

/** A finished loop: its last iteration, and all iterations as a step map, built when an expression reads them. */
export class FinishedLoop implements ScopeEntry {
  private built: JsonValue | undefined;

  constructor(
    private readonly last: ScopeEntry,
    private readonly withIterations: () => unknown,
  ) {}

  valueAt(keys: PathKeys): unknown {
    return this.entryFor(keys).valueAt(keys);
  }

  textAt(keys: PathKeys): JsonText | undefined {
    return this.entryFor(keys).textAt(keys);
  }

  private entryFor(keys: PathKeys): ScopeEntry {
    if (keys[0] === 'item' || keys[0] === 'index') return this.last;
    return (this.built ??= JsonValue.ofValue(this.withIterations()));
  }
}
