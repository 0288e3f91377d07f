import { SPARE_RUNS, wantsAnotherJob } from './run-room';

describe('wantsAnotherJob', () => {
  it.each([
    ['all slots are free', { freeSlots: 50, notBegun: 0 }, 0, true],
    ['the free slots have their runs on the way, and no spare ones', { freeSlots: 50, notBegun: 0 }, 50, true],
    ['the free slots and the spare places have their runs on the way', { freeSlots: 50, notBegun: 0 }, 66, false],
    ['no slot is free and a few runs are on hand', { freeSlots: 0, notBegun: SPARE_RUNS - 1 }, 0, true],
    ['no slot is free and a job full of runs is on hand', { freeSlots: 0, notBegun: SPARE_RUNS }, 0, false],
    ['some runs are on hand and the others on their way', { freeSlots: 0, notBegun: 10 }, 6, false],
  ])('when %s', (_when, room, onTheWay, wants) => {
    expect(wantsAnotherJob(room, onTheWay)).toBe(wants);
  });
});
