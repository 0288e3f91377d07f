import { InvalidRequestError } from '../errors/invalid-request.error';

/** One thing that is wrong with a body. `path` is a JSON pointer. */
export interface RequestProblem {
  path: string;
  message: string;
}

/** More problems do not help a person, and a pointer into a deep flow is long. */
const MAX_PROBLEMS = 20;

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON pointer to a member: `~` and `/` in its name are escaped (RFC 6901). */
export const pointer = (path: string, member: string | number): string =>
  `${path}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Collects the problems of a body. The reader continues with a stand-in, so that one answer names all problems. */
export class RequestProblems {
  readonly found: RequestProblem[] = [];

  add(path: string, message: string): void {
    if (this.found.length < MAX_PROBLEMS) this.found.push({ path, message });
  }

  get full(): boolean {
    return this.found.length >= MAX_PROBLEMS;
  }

  /** Throws InvalidRequestError. */
  throwIfAny(): void {
    if (this.found.length > 0) throw new InvalidRequestError(this.found);
  }
}

/** Reads the members of one JSON object, each by its expected kind. An absent member reads as the given default. */
export class JsonReader {
  private readonly read = new Set<string>();

  constructor(
    private readonly value: JsonObject,
    readonly path: string,
    readonly problems: RequestProblems,
    /** Exports write null for members that are not set: `absent` reads such members as absent. */
    private readonly nulls: 'values' | 'absent' = 'values',
  ) {}

  has(member: string): boolean {
    return this.any(member) !== undefined;
  }

  /** The object itself, for another reader. All its members count as read. */
  whole(): JsonObject {
    for (const member of Object.keys(this.value)) this.read.add(member);
    return this.value;
  }

  any(member: string): unknown {
    const value = this.datum(member);
    return value === null && this.nulls === 'absent' ? undefined : value;
  }

  /** The member unchanged. The author of the flow chose its value, and null is a value too. */
  datum(member: string): unknown {
    this.read.add(member);
    return Object.hasOwn(this.value, member) ? this.value[member] : undefined;
  }

  text<D>(member: string, absent: D): string | D {
    return this.of(member, absent, (value) => typeof value === 'string', 'must be a string.');
  }

  requiredText(member: string): string {
    this.needs(member);
    return this.text(member, '');
  }

  flag<D>(member: string, absent: D): boolean | D {
    return this.of(member, absent, (value) => typeof value === 'boolean', 'must be true or false.');
  }

  /** A finite number. JSON may contain a number that is too large, which parses as Infinity. */
  number<D>(member: string, absent: D): number | D {
    return this.of(member, absent, (value) => Number.isFinite(value), 'must be a number.');
  }

  list<D>(member: string, absent: D): readonly unknown[] | D {
    return this.of(member, absent, (value) => Array.isArray(value), 'must be a list.');
  }

  object<D>(member: string, absent: D): Record<string, unknown> | D {
    return this.of(member, absent, isJsonObject, 'must be an object.');
  }

  /** Reads the member's own members. */
  inside(member: string): JsonReader {
    return new JsonReader(this.object(member, {}), pointer(this.path, member), this.problems, this.nulls);
  }

  /** Reads each object of a list. An entry that is not an object is a problem and is left out. */
  each<T>(member: string, read: (entry: JsonReader, index: number) => T): T[] {
    return this.entries(this.list(member, []), pointer(this.path, member), read);
  }

  /** Reads a list of texts. An entry that is not a text is a problem and is left out. */
  texts(member: string): string[] {
    const path = pointer(this.path, member);
    return this.list(member, []).flatMap((entry, index) => {
      if (typeof entry === 'string') return [entry];
      this.problems.add(pointer(path, index), 'must be a string.');
      return [];
    });
  }

  /** Reads each object of a list of lists. */
  eachList<T>(member: string, read: (entry: JsonReader, index: number) => T): T[][] {
    return this.list(member, []).map((inner, index) => {
      const path = pointer(pointer(this.path, member), index);
      if (Array.isArray(inner)) return this.entries(inner, path, read);
      this.problems.add(path, 'must be a list.');
      return [];
    });
  }

  oneOf<T extends string>(member: string, allowed: readonly T[], absent?: T): T {
    const value = this.any(member);
    if (value === undefined && absent !== undefined) return absent;
    if ((allowed as readonly unknown[]).includes(value)) return value as T;
    this.wrong(member, `must be one of ${allowed.join(', ')}.`);
    return absent ?? (allowed[0] as T);
  }

  /** Adds a problem for each of these members that is absent. */
  needs(...members: string[]): void {
    for (const member of members) if (!this.has(member)) this.wrong(member, 'is required.');
  }

  wrong(member: string, message: string): void {
    this.problems.add(pointer(this.path, member), message);
  }

  /** Throws InvalidRequestError when the whole body has had any problem so far. */
  throwIfWrong(): void {
    this.problems.throwIfAny();
  }

  /** Refuses every member that was neither read nor is named here, so that no member is dropped in silence. */
  refuseOthers(dropped: readonly string[] = []): void {
    for (const member of Object.keys(this.value)) {
      if (this.problems.full) return;
      if (!this.read.has(member) && !dropped.includes(member)) this.wrong(member, 'is not a known field.');
    }
  }

  private entries<T>(list: readonly unknown[], path: string, read: (entry: JsonReader, index: number) => T): T[] {
    return list.flatMap((entry, index) => {
      const entryPath = pointer(path, index);
      if (isJsonObject(entry)) return [read(new JsonReader(entry, entryPath, this.problems, this.nulls), index)];
      this.problems.add(entryPath, 'must be an object.');
      return [];
    });
  }

  private of<D, T>(member: string, absent: D, fits: (value: unknown) => boolean, message: string): T | D {
    const value = this.any(member);
    if (value === undefined) return absent;
    if (fits(value)) return value as T;
    this.wrong(member, message);
    return absent;
  }
}
