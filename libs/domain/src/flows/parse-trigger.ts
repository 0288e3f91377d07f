import {
  MAX_STEP_NESTING,
  MAX_STEPS_PER_VERSION,
  type FlowAction,
  type FlowStep,
  type FlowTrigger,
  type LoopAction,
  type RouterAction,
} from './flow-version';
import { isJsonObject, JsonReader, pointer, RequestProblems } from '../json/json-reader';
import { parseBranches } from './parse-branches';
import { DROPPED_WITHOUT_PIECE, parseCodeSettings, parsePieceSettings, parseTriggerSettings } from './parse-settings';

// Reads the structure of a version's tree of steps from unknown JSON. Members of a wrong shape are refused here, all at
// once, each with a JSON pointer. Missing members make a step invalid later (version-validity.ts).
//
// The parser is not recursive: a chain of a thousand steps nests a thousand levels, and a hostile one nests deeper.

const TRIGGER_TYPES = ['EMPTY', 'PIECE_TRIGGER'] as const;
const ACTION_TYPES = ['CODE', 'PIECE', 'LOOP_ON_ITEMS', 'ROUTER'] as const;
const STEP_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/**
 * JavaScript objects have members with these names, so as names of steps they would be read wrongly from a steps map.
 */
const RESERVED_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];
const MAX_NAME_LENGTH = 100;
const MAX_DISPLAY_NAME_LENGTH = 1_000;
/** Members that are computed here, or that older exports wrote for their own screens. */
const DROPPED_STEP_FIELDS = ['valid', 'lastUpdatedDate', 'stepIndex', 'customLogoUrl'];

const BODY_FIELDS = ['firstLoopAction', 'children'];

/** A step that has not been read yet. `place` puts the step that was read into the tree. */
interface Pending {
  value: unknown;
  path: string;
  /** How many loops and routers are around the step. */
  nesting: number;
  place: (action: FlowAction) => void;
}

/** Reads a trigger with all steps after it. `path` is its pointer in the body. Throws InvalidRequestError. */
export const parseTrigger = (value: unknown, path: string): FlowTrigger =>
  parseAll((problems) => readTrigger(value, path, problems));

/** Reads an action with its body and the steps after it. Throws InvalidRequestError. */
export const parseAction = (value: unknown, path: string): FlowAction =>
  parseAll((problems) => new TreeParser(problems, 'read').actionWithSteps(value, path));

/** Reads a trigger alone. It ignores the steps after it, which clients send back as they got them. */
export const parseLoneTrigger = (value: unknown, path: string): FlowTrigger =>
  parseAll((problems) => new TreeParser(problems, 'ignored').triggerWithSteps(value, path));

/** Reads an action alone, with empty bodies. It ignores the bodies and the steps after it in the request. */
export const parseLoneAction = (value: unknown, path: string): FlowAction =>
  parseAll((problems) => new TreeParser(problems, 'ignored').actionWithSteps(value, path));

/** Reads a trigger as parseTrigger does, but adds its problems to `problems` instead of throwing. */
export const readTrigger = (value: unknown, path: string, problems: RequestProblems): FlowTrigger =>
  new TreeParser(problems, 'read').triggerWithSteps(value, path);

function parseAll<Step>(parse: (problems: RequestProblems) => Step): Step {
  const problems = new RequestProblems();
  const step = parse(problems);
  problems.throwIfAny();
  return step;
}

class TreeParser {
  private readonly pending: Pending[] = [];
  private readonly names = new Set<string>();
  private steps = 0;

  constructor(
    private readonly problems: RequestProblems,
    private readonly links: 'read' | 'ignored',
  ) {}

  triggerWithSteps(value: unknown, path: string): FlowTrigger {
    const trigger = this.trigger(value, path);
    this.readPending();
    return trigger;
  }

  actionWithSteps(value: unknown, path: string): FlowAction {
    const head = this.action({ value, path, nesting: 0 });
    this.readPending();
    return head;
  }

  private readPending(): void {
    for (let next = this.pending.pop(); next && this.mayGoOn(next); next = this.pending.pop())
      next.place(this.action(next));
  }

  private mayGoOn({ path, nesting }: Pending): boolean {
    if (nesting > MAX_STEP_NESTING) this.problems.add(path, `Loops and routers nest at most ${MAX_STEP_NESTING} deep.`);
    else if (this.steps < MAX_STEPS_PER_VERSION) return !this.problems.full;
    else this.problems.add(path, `A flow has at most ${MAX_STEPS_PER_VERSION} steps.`);
    return false;
  }

  private trigger(value: unknown, path: string): FlowTrigger {
    const reader = this.open(value, path);
    const type = reader.oneOf('type', TRIGGER_TYPES);
    const base = this.base(reader, 'trigger');
    const settings = reader.inside('settings');
    if (type === 'EMPTY') settings.refuseOthers(DROPPED_WITHOUT_PIECE);
    const trigger: FlowTrigger =
      type === 'EMPTY' ? { ...base, type, settings: {} } : { ...base, type, settings: parseTriggerSettings(settings) };
    this.follow(reader, trigger, 0);
    reader.refuseOthers(DROPPED_STEP_FIELDS);
    return trigger;
  }

  private action({ value, path, nesting }: Omit<Pending, 'place'>): FlowAction {
    const reader = this.open(value, path);
    const type = reader.oneOf('type', ACTION_TYPES);
    const skip = reader.flag('skip', undefined);
    const base = { ...this.base(reader, undefined), ...(skip === undefined ? {} : { skip }) };
    const action = this.ofType(type, base, reader, nesting);
    this.follow(reader, action, nesting);
    reader.refuseOthers(this.links === 'read' ? DROPPED_STEP_FIELDS : [...DROPPED_STEP_FIELDS, ...BODY_FIELDS]);
    return action;
  }

  private ofType(
    type: (typeof ACTION_TYPES)[number],
    base: { name: string; displayName: string; valid: boolean },
    reader: JsonReader,
    nesting: number,
  ): FlowAction {
    switch (type) {
      case 'CODE':
        return { ...base, type, settings: parseCodeSettings(reader.inside('settings')) };
      case 'PIECE':
        return { ...base, type, settings: parsePieceSettings(reader.inside('settings')) };
      case 'LOOP_ON_ITEMS':
        return this.loop({ ...base, type, settings: this.loopSettings(reader.inside('settings')) }, reader, nesting);
      case 'ROUTER':
        return this.router(
          { ...base, type, settings: parseBranches(reader.inside('settings')), children: [] },
          reader,
          nesting,
        );
    }
  }

  private loopSettings(settings: JsonReader): LoopAction['settings'] {
    const items = settings.any('items') ?? '';
    settings.refuseOthers(DROPPED_WITHOUT_PIECE);
    return { items };
  }

  private loop(loop: LoopAction, reader: JsonReader, nesting: number): LoopAction {
    const body = reader.any('firstLoopAction');
    if (this.links === 'read' && body !== undefined && body !== null) {
      const path = pointer(reader.path, 'firstLoopAction');
      this.pending.push({
        value: body,
        path,
        nesting: nesting + 1,
        place: (action) => (loop.firstLoopAction = action),
      });
    }
    return loop;
  }

  private router(router: RouterAction, reader: JsonReader, nesting: number): RouterAction {
    const empty = router.settings.branches.map(() => null);
    const bodies = this.links === 'read' ? reader.list('children', empty) : empty;
    if (bodies.length !== router.settings.branches.length)
      reader.wrong('children', `must hold one entry for each of the ${router.settings.branches.length} branches.`);
    router.children = bodies.map(() => null);
    const path = pointer(reader.path, 'children');
    bodies.forEach((value, index) => {
      if (value === null) return;
      const place = (action: FlowAction): void => void (router.children[index] = action);
      this.pending.push({ value, path: pointer(path, index), nesting: nesting + 1, place });
    });
    return router;
  }

  private base(
    reader: JsonReader,
    defaultName: string | undefined,
  ): { name: string; displayName: string; valid: boolean } {
    const name = reader.text('name', defaultName);
    if (name === undefined || name.length > MAX_NAME_LENGTH || !STEP_NAME.test(name))
      reader.wrong('name', 'must be a letter or _, then letters, digits and _, at most 100 in all.');
    else if (RESERVED_NAMES.includes(name)) reader.wrong('name', `must not be ${name}.`);
    else if (this.names.has(name)) reader.wrong('name', `names a second step ${name}.`);
    else this.names.add(name);
    const displayName = reader.text('displayName', name ?? '');
    if (displayName.length > MAX_DISPLAY_NAME_LENGTH)
      reader.wrong('displayName', `must have at most ${MAX_DISPLAY_NAME_LENGTH} characters.`);
    return { name: name ?? '', displayName, valid: false };
  }

  /**
   * Notes the next step as pending. Steps are not read in the order of writing, so names are found in no special order.
   */
  private follow(reader: JsonReader, step: FlowStep, nesting: number): void {
    const value = reader.any('nextAction');
    if (this.links === 'ignored' || value === undefined || value === null) return;
    const path = pointer(reader.path, 'nextAction');
    this.pending.push({ value, path, nesting, place: (action) => (step.nextAction = action) });
  }

  private open(value: unknown, path: string): JsonReader {
    this.steps++;
    if (isJsonObject(value)) return new JsonReader(value, path, this.problems, 'absent');
    this.problems.add(path, 'must be an object.');
    return new JsonReader({ type: 'EMPTY' }, path, new RequestProblems());
  }
}
