/** How the service came through each fault, seen from outside. All times are in milliseconds. */

/**
 * @param {object} seen
 * @param {{ number: number, began: number, lifted: number, readyAgain: number }[]} seen.faults
 * @param {{ kind: string, outcome: string, runId?: string, sentAt: number, answeredAt?: number, tries: { outcome: string }[] }[]} seen.webhooks
 * @param {Map<string, { seenAt: number }>} seen.ended when runs were seen to have ended
 * @param {(kind: string) => boolean} seen.waits whether runs of this kind wait on purpose
 */
export function recoveries({ faults, webhooks, ended, waits }) {
  const answers = webhooks.flatMap(({ answeredAt }) => answeredAt ?? []).sort((one, other) => one - other);
  const lastSentAt = webhooks.reduce((latest, { sentAt }) => Math.max(latest, sentAt), 0);
  return faults.map(({ number, began, lifted, readyAgain }) => ({
    number,
    longestSilenceMs: longestGap(answers, began, Math.min(lastSentAt, Math.max(lifted, readyAgain))),
    readyAgainMs: Math.max(0, readyAgain - lifted),
    caughtUpMs: caughtUp({ webhooks, ended, waits }, began, lifted),
    notTaken: webhooks.filter(({ sentAt, tries }) => sentAt >= began && sentAt <= lifted && isNotTaken(tries)).length,
  }));
}

/** Whether the first try of a webhook was not acknowledged. */
const isNotTaken = (tries) => tries.length > 0 && tries[0].outcome !== 'acknowledged';

/** The longest time without an acknowledgement that touches these moments. When nothing is sent there is no silence. */
function longestGap(answers, from, to) {
  const before = answers.filter((at) => at < from).at(-1) ?? from;
  const after = answers.find((at) => at > to) ?? to;
  const moments = [before, ...answers.filter((at) => at >= from && at <= to), after];
  return moments.reduce((longest, at, index) => Math.max(longest, index === 0 ? 0 : at - moments[index - 1]), 0);
}

/** How long after the fault the last run ended that was accepted before its end. Runs that wait on purpose do not count. */
function caughtUp({ webhooks, ended, waits }, began, lifted) {
  const endings = webhooks
    .filter(({ kind, answeredAt, runId }) => runId && answeredAt && answeredAt <= lifted && !waits(kind))
    .flatMap(({ runId }) => ended.get(runId ?? '')?.seenAt ?? [])
    .filter((at) => at >= began);
  return endings.reduce((latest, at) => Math.max(latest, at - lifted), 0);
}
