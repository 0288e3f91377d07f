/** The kinds of records that a host may ask for. Addresses are not among them: targets are judged by name. */
export type RecordKind = 'SRV' | 'TXT';

/** Looks up the records of a name. Rejects with the error of the resolver. */
export type LookUpRecords = (kind: RecordKind, name: string) => Promise<readonly unknown[]>;

const MOST_OF_CALL = 100;

const isRecordKind = (kind: unknown): kind is RecordKind => kind === 'SRV' || kind === 'TXT';

/** What one call may look up. Without `lookUp` it is nothing. */
export function lookUpsOfCall(lookUp: LookUpRecords | undefined) {
  let count = 0;
  return async (kind: unknown, name: unknown): Promise<readonly unknown[]> => {
    if (!lookUp || !isRecordKind(kind)) throw new Error('Such records of names cannot be looked up from a piece.');
    if (++count > MOST_OF_CALL) throw new Error(`A piece may look up ${MOST_OF_CALL} names in a call.`);
    return lookUp(kind, String(name));
  };
}
