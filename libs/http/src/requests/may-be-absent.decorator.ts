const absentBodies = new WeakSet<object>();

/** Lets a request leave out the body that this class describes. It then reads as an empty object. */
export const MayBeAbsent = (): ClassDecorator => (body) => void absentBodies.add(body);

export const mayBeAbsent = (body: object | undefined): boolean => body !== undefined && absentBodies.has(body);
