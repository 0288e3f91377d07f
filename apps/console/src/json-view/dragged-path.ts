/** The type under which a dragged value has its path, as JSON, besides its token as text. */
export const DRAGGED_PATH = 'application/x-millrace-path';
