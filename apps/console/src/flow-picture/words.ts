import type { Step } from './step';

const number = new Intl.NumberFormat('en');

const KINDS: Record<Step['type'], string> = {
  EMPTY: 'trigger',
  PIECE_TRIGGER: 'trigger',
  PIECE: 'action',
  CODE: 'code',
  LOOP_ON_ITEMS: 'loop',
  ROUTER: 'router',
};

export const words = {
  canvas: 'Canvas',
  outline: 'Outline',
  eachItem: 'each item',
  hasProblem: 'has a problem',
  skipped: 'skipped',
  kindOf: ({ type, settings }: Step): string =>
    typeof settings['pieceName'] === 'string' ? `${settings['pieceName']} · ${KINDS[type]}` : KINDS[type],
  ranOften: (count: number) => `${number.format(count)} times`,
  iterations: (count: number) => `${number.format(count)} ${count === 1 ? 'iteration' : 'iterations'}`,
  taken: (count: number) => (count === 1 ? 'taken' : `taken ${number.format(count)} times`),
  notTaken: 'not taken',
  stepsInside: (count: number) => (count === 1 ? '1 step inside' : `${count} steps inside`),
  open: (name: string) => `Show what is inside ${name}`,
  close: (name: string) => `Hide what is inside ${name}`,
  note: 'Note',
  map: 'Mini-map',
  addStep: 'Add step',
  addStepAfter: (name: string) => `Add step after ${name}`,
  addStepIn: (name: string) => `Add step in ${name}`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  wholeFlow: 'Show the whole flow',
  toTrigger: 'Show the trigger at 100 %',
  percent: (zoom: number) => `${Math.round(zoom * 100)} %`,
};
