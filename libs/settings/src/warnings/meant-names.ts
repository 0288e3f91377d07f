const PREFIX = 'SVC_';
/** A name with so many letters for each mistake is taken for a slip of the keyboard. */
const LETTERS_FOR_A_MISTAKE = 4;
const MOST_MISTAKES = 3;
/** More names than this are no hint. */
const MOST_NAMES = 3;

/** The known names that somebody may have meant: those that this one lacks only the ending of, otherwise the closest. */
export function meantNames(name: string, known: readonly string[]): string[] {
  const completed = completedNames(name, known);
  if (completed.length > 0) return completed.length > MOST_NAMES ? [] : completed;
  const closest = closestName(name, known);
  return closest === undefined ? [] : [closest];
}

/** The known names that begin with all words of this one, with as few words more as any of them has. */
function completedNames(name: string, known: readonly string[]): string[] {
  const longer = known.filter((candidate) => candidate.startsWith(`${name}_`));
  const fewest = Math.min(...longer.map(wordsIn));
  return longer.filter((candidate) => wordsIn(candidate) === fewest);
}

const wordsIn = (name: string): number => name.split('_').length;

/** The known name that somebody may have meant, or undefined when none is close. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const letters = name.slice(PREFIX.length);
  const allowed = Math.min(MOST_MISTAKES, Math.floor(letters.length / LETTERS_FOR_A_MISTAKE));
  const [closest] = known
    .map((candidate) => ({ candidate, mistakes: mistakesBetween(letters, candidate.slice(PREFIX.length)) }))
    .filter(({ mistakes }) => mistakes <= Math.max(1, allowed))
    .sort((a, b) => a.mistakes - b.mistakes);
  return closest?.candidate;
}

/** How many letters were added, left out, changed, or swapped with their neighbour. */
function mistakesBetween(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap && before.length > 0 ? at(before, column - 2) + 1 : Infinity,
      );
    }
    [before, last] = [last, current];
  }
  return at(last, to.length);
}

const at = (numbers: readonly number[], index: number): number => numbers[index] ?? Infinity;
