/** A part of the page did not come: the network or the service is away, or a newer release is there without this part. */
export class PartNotLoadedError extends Error {
  constructor(options?: ErrorOptions) {
    super(
      'This page could not be loaded. The connection may be cut, or a newer release of the service is there.',
      options,
    );
    this.name = 'PartNotLoadedError';
  }
}

/** Throws PartNotLoadedError in place of what browsers throw, which differs and has no words for people. */
export async function loadedPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new PartNotLoadedError({ cause: error });
  }
}
