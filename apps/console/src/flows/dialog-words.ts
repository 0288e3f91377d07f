// What the dialogs of the list say. It is loaded with them.

export const words = {
  close: 'Close',
  template: 'Template',
  chooseTemplate: 'Choose a template.',
  noTemplates: 'There is no template in this project yet.',
  json: 'Flow as JSON',
  chooseFile: 'Choose files',
  noJson: (reason: string) => `This is no JSON: ${reason}`,
  nothingInside: 'There is no flow in this JSON.',
  importing: (index: number, all: number) => (all === 1 ? 'Importing…' : `Importing ${index} of ${all}…`),
  imported: (flows: number) => (flows === 1 ? 'The flow was imported' : `${flows} flows were imported`),
  importClean: 'Nothing is missing: it can be published.',
  importProblems: (problems: number) =>
    problems === 1
      ? 'There is one thing to look at before it is published:'
      : `There are ${problems} things to look at before it is published:`,
  refused: (name: string) => `“${name}” was not imported`,
  unnamed: 'A flow without a name',
  severities: { error: 'Error', warning: 'Warning' },
  openFlow: 'Open the flow',
  examples: 'Try one of these',
  examplesSay: 'Each is made, published and run once. It is yours then.',
  tryIt: (name: string) => `Try “${name}”`,
  making: 'One moment…',
  nameOfFolder: 'Name of the folder',
  createFolder: 'Create folder',
  renameFolderTitle: (name: string) => `Rename ${name}`,
  renameFolderNow: 'Rename folder',
  deleteFolderTitle: (name: string) => `Delete ${name}?`,
  deleteFolderSays: 'Its flows stay, in no folder.',
  deleteFolderNow: 'Delete folder',
  folder: 'Folder',
  more: (flows: number) => `and ${flows} more`,
  doing: (index: number, all: number) => `${index} of ${all}…`,
  someFailed: (failed: number, all: number) => `${all - failed} of ${all} were done. These were not:`,
};

const flowsOf = (count: number): string => (count === 1 ? 'flow' : `${count} flows`);

export type BulkAction = 'enable' | 'disable' | 'move' | 'delete';

/** What is said of an action on flows: on the button that opens it, before it is done, and afterwards. */
export const bulkWords: Record<
  BulkAction,
  {
    title: (count: number) => string;
    says: string;
    verb: (count: number) => string;
    done: (count: number) => string;
  }
> = {
  enable: {
    title: (count) => `Enable ${flowsOf(count)}?`,
    says: 'They start runs from then on. A flow that was never published is published.',
    verb: (count) => `Enable ${flowsOf(count)}`,
    done: (count) => (count === 1 ? 'The flow was enabled.' : `${count} flows were enabled.`),
  },
  disable: {
    title: (count) => `Disable ${flowsOf(count)}?`,
    says: 'They start no runs any more. Runs that have begun go on.',
    verb: (count) => `Disable ${flowsOf(count)}`,
    done: (count) => (count === 1 ? 'The flow was disabled.' : `${count} flows were disabled.`),
  },
  move: {
    title: (count) => `Move ${flowsOf(count)}`,
    says: 'They run on as they are.',
    verb: (count) => `Move ${flowsOf(count)}`,
    done: (count) => (count === 1 ? 'The flow was moved.' : `${count} flows were moved.`),
  },
  delete: {
    title: (count) => `Delete ${flowsOf(count)}?`,
    says: 'They start no runs any more, and are deleted with all their versions. Their runs stay.',
    verb: (count) => `Delete ${flowsOf(count)}`,
    done: (count) => (count === 1 ? 'The flow was deleted.' : `${count} flows were deleted.`),
  },
};
