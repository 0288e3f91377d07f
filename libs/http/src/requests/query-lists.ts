const LIST_KEY = /^([^[\]]+)\[(\d{0,4})\]$/;

/** Reads `a[]=1&a[]=2` and `a[0]=1&a[1]=2` as the list `a`, like `a=1&a=2`. It does not split at commas. */
export function foldLists(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const folded: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of Object.entries(query)) {
    const name = LIST_KEY.exec(key)?.[1];
    if (name === undefined) folded[key] = key in folded ? [folded[key], value].flat() : value;
    else folded[name] = [folded[name] ?? [], value].flat();
  }
  return folded;
}
