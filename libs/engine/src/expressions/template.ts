import { connectionsOfExpression, REDACTED, storableJson, type JsonText } from '@millrace/domain';
import { guestFunction, type GuestFunction, type GuestResults, type NamingExpression } from './guest-function';
import type { MemberPath } from '@millrace/domain';
import type { ExpressionProblem } from './syntax';
import type { Scope } from './scope';
import { splitTokens, type Token } from './tokens';

// A template is the settings of a step, compiled once to JSON text with holes for the expressions. Resolving it then
// costs little more than joining texts. Keys are never resolved, and the result of an expression is not resolved again.

export interface Template {
  /** The texts around the holes: `texts[i]` stands before `holes[i]`, and one text stands after the last hole. */
  texts: readonly string[];
  holes: readonly Hole[];
  guest: GuestFunction | null;
  /** The paths that the expressions read, for rules about the whole version. */
  references: readonly MemberPath[];
  problems: readonly ExpressionProblem[];
  readsConnections: boolean;
}

type Hole =
  /** A string that is exactly one token. The value of the expression keeps its type. */
  | { kind: 'value'; source: Source }
  /** A string with text around its tokens. The result is a string. */
  | { kind: 'mixed'; parts: readonly (string | Source)[]; secret: boolean };

type Source =
  | { kind: 'nothing'; secret: boolean }
  /** `connections` are the external ids of the connections that the expression names. */
  | { kind: 'path'; path: MemberPath; secret: boolean; connections: readonly string[] }
  | { kind: 'guest'; index: number; secret: boolean; connections: readonly string[] };

export interface ResolvedInput {
  text: JsonText;
  /** The input for the journal. In it, `**REDACTED**` replaces every value that comes from a connection. */
  recordedText: JsonText;
}

const CONNECTIONS = 'connections';

export class TemplateBuilder {
  private readonly texts: string[] = [''];
  private readonly holes: Hole[] = [];
  private readonly expressions: NamingExpression[] = [];
  private readonly references: MemberPath[] = [];
  private readonly problems: ExpressionProblem[] = [];
  private readsConnections = false;

  constructor(private readonly stepNames: ReadonlySet<string>) {}

  /** Adds JSON text that has no expressions. */
  addText(text: JsonText): this {
    this.texts[this.texts.length - 1] += text;
    return this;
  }

  /** Adds a value whose strings may contain expressions. */
  addValue(value: unknown): this {
    if (typeof value === 'string') return this.addString(value);
    if (Array.isArray(value)) return this.addList('[', value, ']', (item) => this.addValue(item));
    if (value === null || typeof value !== 'object') return this.addText(JSON.stringify(value) ?? 'null');
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return this.addList('{', entries, '}', ([key, item]) => this.addText(`${JSON.stringify(key)}:`).addValue(item));
  }

  addList<T>(open: string, items: readonly T[], close: string, add: (item: T) => void): this {
    this.addText(open);
    items.forEach((item, index) => {
      if (index > 0) this.addText(',');
      add(item);
    });
    return this.addText(close);
  }

  build(): Template {
    const guest = guestFunction(this.expressions, new Set([...this.stepNames, 'run', CONNECTIONS]));
    const seenByGuest = guest?.names.map((head) => ({ head, keys: [] })) ?? [];
    return {
      texts: this.texts,
      holes: this.holes,
      guest,
      references: [...this.references, ...seenByGuest],
      problems: this.problems,
      readsConnections: this.readsConnections,
    };
  }

  private addString(string: string): this {
    const parts = splitTokens(string).map((part) => (typeof part === 'string' ? part : this.sourceOf(part)));
    const [first] = parts;
    if (parts.every((part) => typeof part === 'string')) return this.addText(JSON.stringify(string));
    if (parts.length === 1 && typeof first === 'object') this.holes.push({ kind: 'value', source: first });
    else this.holes.push({ kind: 'mixed', parts, secret: parts.some((part) => isSecret(part)) });
    this.texts.push('');
    return this;
  }

  private sourceOf(token: Token): Source {
    if (token.kind === 'path' && this.isVariable(token.path.head)) {
      this.references.push(token.path);
      const secret = this.noteConnections(token.path.head);
      const connections = secret ? token.path.keys.slice(0, 1).map(String) : [];
      return { kind: 'path', path: token.path, secret, connections };
    }
    if (token.kind === 'broken') this.problems.push(token.problem);
    if (token.kind === 'empty' || token.kind === 'broken' || !token.expression)
      return { kind: 'nothing', secret: false };
    const secret = [...token.expression.identifiers].some((name) => this.noteConnections(name));
    const connections = secret ? [...connectionsOfExpression(token.expression.source)] : [];
    const index = this.expressions.push({ ...token.expression, connections: secret ? connections : null }) - 1;
    return { kind: 'guest', index, secret, connections };
  }

  private isVariable(name: string): boolean {
    return this.stepNames.has(name) || name === 'run' || name === CONNECTIONS;
  }

  /** Notes whether the name means the variable `connections`. A step of that name hides the variable. */
  private noteConnections(name: string): boolean {
    const isConnections = name === CONNECTIONS && !this.stepNames.has(name);
    this.readsConnections ||= isConnections;
    return isConnections;
  }
}

export function compileTemplate(value: unknown, stepNames: ReadonlySet<string>): Template {
  return new TemplateBuilder(stepNames).addValue(value).build();
}

export function resolveTemplate(template: Template, scope: Scope, guest: GuestResults): ResolvedInput {
  const holes = template.holes.map((hole) => storableJson(textOfHole(hole, scope, guest)));
  const text = join(template.texts, holes);
  if (!template.holes.some(isSecretHole)) return { text, recordedText: text };
  const redacted = template.holes.map((hole, index) =>
    isSecretHole(hole) ? redact(hole, scope, guest) : holes[index],
  );
  return { text, recordedText: join(template.texts, redacted) };
}

/** The connections that the expressions of a template name. */
export function connectionsNamedBy({ holes }: Template): Set<string> {
  const parts = holes.flatMap((hole) => (hole.kind === 'value' ? [hole.source] : hole.parts));
  return new Set(
    parts.flatMap((part) => (typeof part === 'string' || part.kind === 'nothing' ? [] : part.connections)),
  );
}

/** Finds an expression that resolved to nothing and names one of these connections. Returns the connection, or null. */
export function connectionMissedBy(
  { holes }: Template,
  missing: ReadonlySet<string>,
  scope: Scope,
  guest: GuestResults,
): string | null {
  const parts = holes.flatMap((hole) => (hole.kind === 'value' ? [hole.source] : hole.parts));
  for (const part of parts) {
    if (typeof part === 'string' || part.kind === 'nothing') continue;
    const missed = part.connections.find((externalId) => missing.has(externalId));
    if (missed !== undefined && isNothing(textOf(part, scope, guest))) return missed;
  }
  return null;
}

const isNothing = (text: JsonText | undefined): text is undefined | 'null' => text === undefined || text === 'null';

function join(texts: readonly string[], holes: readonly (string | undefined)[]): JsonText {
  let joined = texts[0] ?? '';
  for (let i = 0; i < holes.length; i++) joined += (holes[i] ?? '') + (texts[i + 1] ?? '');
  return joined;
}

function textOfHole(hole: Hole, scope: Scope, guest: GuestResults): JsonText {
  if (hole.kind === 'mixed') return JSON.stringify(hole.parts.map((part) => stringOf(part, scope, guest)).join(''));
  const text = textOf(hole.source, scope, guest);
  return isNothing(text) ? '""' : text;
}

function textOf(source: Source, scope: Scope, guest: GuestResults): JsonText | undefined {
  if (source.kind === 'nothing') return undefined;
  if (source.kind === 'guest') return guest[source.index] ?? undefined;
  return scope.find(source.path.head)?.textAt(source.path.keys);
}

function stringOf(part: string | Source, scope: Scope, guest: GuestResults): string {
  if (typeof part === 'string') return part;
  const text = textOf(part, scope, guest);
  if (isNothing(text)) return '';
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

const isSecret = (part: string | Source): boolean => typeof part !== 'string' && part.secret;

const isSecretHole = (hole: Hole): boolean => (hole.kind === 'value' ? hole.source.secret : hole.secret);

function redact(hole: Hole, scope: Scope, guest: GuestResults): JsonText {
  if (hole.kind === 'value') return JSON.stringify(REDACTED);
  const parts = hole.parts.map((part) => (isSecret(part) ? REDACTED : stringOf(part, scope, guest)));
  return storableJson(JSON.stringify(parts.join('')));
}
