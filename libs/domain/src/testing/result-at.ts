/** The result of the step at a path, such as `each[0].step`; undefined when the run shows none. */
export function resultAt<Result extends { output?: unknown }>(
  results: Readonly<Record<string, Result>>,
  path: string,
): Result | undefined {
  let here: Readonly<Record<string, Result>> | undefined = results;
  const names = path.split('.');
  const last = names.pop() ?? '';
  for (const part of names) {
    const [, loopName = '', index = ''] = /^(\w+)\[(\d+)\]$/.exec(part) ?? [];
    const output = here?.[loopName]?.output as { iterations?: Record<string, Result>[] } | undefined;
    here = output?.iterations?.[Number(index)];
  }
  return here?.[last];
}
