/** A storage of a browser that has room for so many characters. */
export function aStorage(room = Infinity): Storage {
  const entries = new Map<string, string>();
  const used = (): number => [...entries].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return {
    get length() {
      return entries.size;
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    removeItem: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    setItem: (key, value) => {
      if (used() - (entries.get(key)?.length ?? 0) + value.length > room) throw new Error('There is no room.');
      entries.set(key, value);
    },
  };
}
