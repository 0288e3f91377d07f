const number = new Intl.NumberFormat('en');

export const words = {
  comparing: 'Comparing the versions…',
  same: 'There is no difference.',
  renamed: 'Name of the flow',
  added: 'Added',
  removed: 'Removed',
  moved: 'Moved',
  changed: 'Changed',
  notes: (kind: 'added' | 'removed' | 'changed', count: number) =>
    `${number.format(count)} ${count === 1 ? 'note' : 'notes'} ${kind}`,
  placeAfter: (step: string) => `after ${step}`,
  placeInLoop: (loop: string) => `first in the loop ${loop}`,
  placeInBranch: (branch: string, router: string) => `first in the branch ${branch} of ${router}`,
  movedTo: (from: string, to: string) => `from ${from} to ${to}`,
};
