import { bodiesOf, placeAfter, stepsOf, type Place, type Step } from './step';

/** A place as one text. */
export const placeIdOf = (place: Place): string => Object.values(place).join('/');

/** The places to which a step can be moved: not into itself, and not to where it is. */
export function dropPlaces(trigger: Step, name: string): Map<string, Place> {
  const steps = Array.from(stepsOf(trigger));
  const moved = steps.find((step) => step.name === name);
  if (!moved || moved === trigger) return new Map();
  const inside = new Set(bodiesOf(moved).flatMap(({ first }) => Array.from(stepsOf(first), (step) => step.name)));
  const places = steps
    .filter((step) => step !== moved && !inside.has(step.name))
    .flatMap((step) => [
      ...(step.nextAction === moved ? [] : [placeAfter(step)]),
      ...bodiesOf(step)
        .filter(({ first }) => first !== moved)
        .map(({ place }) => place),
    ]);
  return new Map(places.map((place) => [placeIdOf(place), place]));
}
