const MOST_SHOWN = 200;

/** An id that a caller has sent, cut to what an error may repeat. No id of this service is longer. */
export const shownId = (id: string): string => (id.length <= MOST_SHOWN ? id : `${id.slice(0, MOST_SHOWN)}…`);
