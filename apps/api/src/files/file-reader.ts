import { mayAnswerIn, type FileProjects, type FileView, type Principal } from '@millrace/domain';

/** Who reads a file: a principal, or whoever has a signed link. */
export interface FileReader {
  projectIds: FileProjects;
  /** How the reader sees the files of a project. */
  viewIn: (projectId: string) => FileView;
}

/** How the principal sees the files of a project. Who may not answer requests sees outputs without links to them. */
export const viewFor = (principal: Principal, projectId: string): FileView =>
  mayAnswerIn(principal, projectId) ? 'whole' : 'masked';

export const readerWith = (principal: Principal): FileReader => ({
  projectIds: principal.projectIds,
  viewIn: (projectId) => viewFor(principal, projectId),
});

/** The signed link decides, for every project. */
export const readerByLink = (view: FileView): FileReader => ({ projectIds: 'any', viewIn: () => view });
