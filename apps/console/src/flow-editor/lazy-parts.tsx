import { lazyPart } from '../controls/lazy-part';

// What lies over the editor is loaded when it is first opened.

const over = { isOver: true };

/** The dialog that is open. What dialogs are made of is loaded with the first. */
export const LazyDialogs = lazyPart(async () => (await import('./editor-dialogs')).EditorDialogs, over);

export const LazyMenu = lazyPart(async () => (await import('./step-menu')).StepMenu, over);

export const LazyRenameDialog = lazyPart(async () => (await import('./rename-dialog')).RenameDialog, over);

export const LazyTestRunBar = lazyPart(async () => (await import('./test-run-bar')).TestRunBar, over);
