/** The routes of an app. They distinguish an unknown address from a wrong method, and are read only for a 404. */
export class KnownRoutes {
  private readonly methods = new Map<string, Set<string>>();

  add(pattern: string, methods: string | readonly string[]): void {
    if (pattern.includes('*')) return;
    const known = this.methods.get(pattern) ?? new Set();
    for (const method of [methods].flat()) known.add(method);
    this.methods.set(pattern, known);
  }

  methodsOf(url: string): string[] {
    const path = url.split('?', 1)[0]?.split('/') ?? [];
    const matching = [...this.methods].filter(([pattern]) => matches(pattern.split('/'), path));
    return [...new Set(matching.flatMap(([, methods]) => [...methods]))].sort();
  }
}

const matches = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((part, index) => (part.startsWith(':') ? path[index] !== '' : part === path[index]));

export const isMethodProblem = (method: string, allowed: readonly string[]): boolean =>
  allowed.length > 0 && !allowed.includes(method);
