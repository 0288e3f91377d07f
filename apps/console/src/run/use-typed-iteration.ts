import { useState, type ChangeEvent } from 'react';

/**
 * What an input for an iteration needs. `index` and what `onChoose` gets count from 0, people count from 1. What is
 * typed stays until the input is left, also while it is no iteration yet.
 */
export function useTypedIteration(count: number, index: number, onChoose: (index: number) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  return {
    type: 'number' as const,
    min: 1,
    max: count,
    value: typed ?? index + 1,
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
      setTyped(target.value);
      if (target.validity.valid && target.value !== '') onChoose(target.valueAsNumber - 1);
    },
    onBlur: () => setTyped(null),
  };
}
