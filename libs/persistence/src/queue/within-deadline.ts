export class QueueDeadlineError extends Error {
  constructor(deadlineMs: number) {
    super(`The job queue did not answer within ${deadlineMs} ms.`);
  }
}

/** Rejects with QueueDeadlineError when `work` has not settled in time. `work` continues, but its result is dropped. */
export async function withinDeadline<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new QueueDeadlineError(deadlineMs)), deadlineMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
