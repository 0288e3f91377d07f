// Prints the measurements as tables.

const milliseconds = ({ p50, p99 }) => `${p50} / ${p99}`;
const perProcess = (values, unit) =>
  Object.entries(values)
    .map(([role, value]) => `${role} ${value}${unit}`)
    .join(', ');

export function printReport({ cpu, cores, node, results }) {
  console.log(`\n${cores} cores of ${cpu}, Node ${node}; load generator, service and databases on the same machine\n`);
  for (const {
    queue,
    start,
    workloads,
    steps,
    waiting,
    lone,
    live,
    neighbours,
    schedules,
    signIns,
    overload,
    slowClients,
    soak,
    idleCpuPercent,
  } of results) {
    console.log(`Queue on ${queue}`);
    console.log(`  Start in an empty folder: ${start.seconds} s, ${start.hosts} processes of packages`);
    printMemory('the start', start);
    if (Object.keys(workloads).length > 0) printRuns(workloads);
    if (Object.keys(steps).length > 0) printSteps(steps);
    printWaiting(waiting);
    for (const [name, windows] of Object.entries(lone)) printLone(name, windows);
    if (live) printLive(live);
    if (neighbours) printNeighbours(neighbours);
    if (schedules) printSchedules(schedules);
    if (signIns) printSignIns(signIns);
    if (overload) printOverload(overload);
    if (slowClients) printSlowClients(slowClients);
    if (soak) printSoak(soak);
    const idleTotal = Object.values(idleCpuPercent).reduce((a, b) => a + b, 0);
    console.log(`  Idle CPU: ${idleTotal.toFixed(1)} % of one core (${perProcess(idleCpuPercent, ' %')})\n`);
  }
}

function printRuns(workloads) {
  console.table(
    Object.fromEntries(
      Object.entries(workloads).map(([name, w]) => [
        name,
        {
          'runs/s': w.finishedPerSecond,
          'CPU ms/run': w.cpuMsPerRun,
          'half load/s': w.atHalfLoad.rate,
          'ack p50/p99 ms': milliseconds(w.atHalfLoad.acknowledgeMs),
          'end to end p50/p99 ms': milliseconds(w.atHalfLoad.endToEndMs),
          'not succeeded': w.notSucceeded,
          refused: w.refused + w.atHalfLoad.refused,
        },
      ]),
    ),
  );
  const { W1, W3 } = workloads;
  if (W1?.atFixedRate) {
    const { rate, acknowledgeMs, endToEndMs } = W1.atFixedRate;
    console.log(
      `  W1 at ${rate}/s: acknowledge p50/p99 ${milliseconds(acknowledgeMs)} ms, end to end ${milliseconds(endToEndMs)} ms`,
    );
  }
  for (const [name, w] of Object.entries(workloads))
    console.log(`  ${name} CPU per run: ${perProcess(w.cpuUsPerRunByProcess, ' µs')}`);
  if (W1 && W3)
    console.log(
      `  A code step: ${((W3.cpuUsPerRunByProcess.worker - W1.cpuUsPerRunByProcess.worker) / 99 / 1_000).toFixed(3)} ms of the worker's CPU`,
    );
  printMemory('load', Object.values(workloads).at(-1));
}

function printMemory(after, { rssMb }) {
  const total = Object.values(rssMb).reduce((a, b) => a + b, 0);
  console.log(`  Memory after ${after}: ${total} MB (${perProcess(rssMb, ' MB')})`);
}

function printSteps(workloads) {
  console.log('Steps');
  console.table(
    Object.fromEntries(
      Object.entries(workloads).map(([name, w]) => [
        name,
        {
          steps: w.steps,
          'run s': w.runSeconds,
          'read ms': w.readMs,
          'our CPU ms/step': w.ourCpuMsPerStep,
          'database CPU ms/step': w.databaseCpuMsPerStep,
          'journal bytes/step': w.journalBytesPerStep,
          'of a tenth': w.journalBytesPerStepOfTenth,
          'not succeeded': w.notSucceeded,
        },
      ]),
    ),
  );
  for (const [name, w] of Object.entries(workloads))
    console.log(`  ${name} CPU per step: ${perProcess(w.cpuUsPerStepByProcess, ' µs')}`);
  printMemory('long runs', Object.values(workloads).at(-1));
}

function printWaiting({ W6, W7, W8, W9, W11 }) {
  if (W6)
    console.log(
      `  W6 at ${W6.rate}/s: answer p50/p99 ${milliseconds(W6.answerMs)} ms, the run itself ${milliseconds(W6.runMs)} ms, answered ${milliseconds(W6.overheadMs)} ms after its last step`,
    );
  if (W7) {
    const { p50, p99, worst } = W7.lateMs;
    console.log(`  W7 ${W7.amount} paused runs: woken late by p50 ${p50}, p99 ${p99}, at worst ${worst} ms`);
    console.log(
      `     memory before: ${perProcess(W7.rssMb, ' MB')}; while they wait: ${perProcess(W7.rssMbWhilePaused, ' MB')}`,
    );
  }
  if (W8)
    console.log(
      `  W8 backlog of ${W8.amount}: drained in ${W8.drainSeconds} s, a list took p50 ${W8.readMs.p50}, p95 ${W8.readMs.p95}, p99 ${W8.readMs.p99} ms`,
    );
  if (W9) console.log(`  W9 Redis emptied under a backlog of ${W9.amount}: all ended ${W9.endedSeconds} s later`);
  if (W11) {
    const { senders, megabytes, gatewayRssMb, alone, beside, answers } = W11;
    console.log(
      `  W11 ${senders} senders of ${megabytes} MB (${perProcess(answers, ' times')}): the gateway had ${gatewayRssMb.before} MB, and at most ${gatewayRssMb.peak} MB`,
    );
    console.log(
      `     small webhooks alone p50/p99 ${milliseconds(alone.acknowledgeMs)} ms, beside them ${milliseconds(beside.acknowledgeMs)} ms, ${beside.refused} refused`,
    );
  }
}

function printLive({ clients, alone, watched, messagesPerSecond }) {
  const shown = ({ finishedPerSecond, each, cpuMsPerRun, notSucceeded }) => ({
    'runs/s': finishedPerSecond,
    windows: each.join(', '),
    'CPU ms/run': cpuMsPerRun,
    'not succeeded': notSucceeded,
  });
  console.log(`W1-live: medians; a client got at most ${messagesPerSecond} messages a second`);
  console.table({ 'nobody watches': shown(alone), [`${clients} clients watch`]: shown(watched) });
  for (const [kind, of] of Object.entries({ 'nobody watches': alone, watched }))
    console.log(`  W1-live ${kind}, CPU per run: ${perProcess(of.cpuUsPerRunByProcess, ' µs')}`);
}

function printLone(name, windows) {
  console.log(`${name}: few runs at a time`);
  console.table(
    Object.fromEntries(
      Object.entries(windows).map(([pace, w]) => [
        pace,
        {
          'runs/s': w.perSecond,
          'CPU ms/run': w.cpuMsPerRun,
          'transactions/run': w.transactionsPerRun,
          ...(w.redisCommandsPerRun > 0 ? { 'Redis commands/run': w.redisCommandsPerRun } : {}),
          'answer p50/p99 ms': milliseconds(w.answerMs),
          refused: w.refused,
        },
      ]),
    ),
  );
  for (const [pace, w] of Object.entries(windows))
    console.log(`  ${name} ${pace}, CPU per run: ${perProcess(w.cpuUsPerRunByProcess, ' µs')}`);
}

function printNeighbours(kinds) {
  console.log('W10 a single run of another project beside');
  console.table(
    Object.fromEntries(
      Object.values(kinds).map((kind) => [
        kind.title,
        {
          'start p50/p99 ms': milliseconds(kind.startMs),
          'first step p50/p99 ms': milliseconds(kind.firstStepMs),
          'not ended': kind.notEnded,
          'worker MB at most': kind.mostRssMb,
          'MB after': kind.rssMbAfter,
          'slow runs': perProcess(kind.slowRuns, ''),
        },
      ]),
    ),
  );
}

function printSchedules({ flows, succeeded, acceptedMs, startedMs, endedMs, apiAnswers, apiMs, webhookStartMs }) {
  const shown = ({ p50, p95, most }) => `${p50} / ${p95} / ${most}`;
  console.log(`W12 ${flows} schedules of the same minute; ${succeeded} runs succeeded`);
  console.log(`  After the instant, p50/p95/most ms: accepted ${shown(acceptedMs)}, started ${shown(startedMs)}`);
  console.log(`  ended ${shown(endedMs)}; ${apiAnswers} answers of the api took ${shown(apiMs)} ms`);
  console.log(`  Webhooks of another project start after p50/p99 ${milliseconds(webhookStartMs)} ms`);
}

function printSignIns({ users, signInMs, apiMs, refused, unknownUserMs, wrongPasswordMs }) {
  const shown = ({ p50, p95, most }) => `${p50} / ${p95} / ${most}`;
  console.log(`W13 ${users} users sign in at once, p50/p95/most ms: ${shown(signInMs)}`);
  console.log(`  Beside them the api answers in ${shown(apiMs)} ms`);
  console.log(`  Median of ${refused}: unknown user ${unknownUserMs}, wrong password ${wrongPasswordMs} ms`);
}

function printOverload({ sustainable, rate, sent, accepted, others, runs, neighbours, ...measured }) {
  const { acceptedMs, sendersLateMs, peakRssMb } = measured;
  console.log(`W14 ${rate}/s, three times ${sustainable}/s: ${sent} sent, ${accepted} accepted, ${runs} runs`);
  console.log(`  The others: ${perProcess(others, ' times') || 'none'}`);
  console.log(
    `  Accepted after p50/p99 ${milliseconds(acceptedMs)} ms, of which the senders' own delay is ${milliseconds(sendersLateMs)} ms`,
  );
  console.log(
    `  Another project's webhooks on new connections: ${neighbours.accepted} of ${neighbours.sent} accepted, after ${milliseconds(neighbours)} ms`,
  );
  console.log(`  Memory at most ${perProcess(peakRssMb, ' MB')}`);
}

function printSlowClients({ clients, cut, alone, beside, peakRssMb }) {
  console.log(`W15 ${clients} slow clients, of which ${perProcess(cut, '')} were cut off`);
  console.log(
    `  Other webhooks alone p50/p99 ${milliseconds(alone.acknowledgeMs)} ms, beside them ${milliseconds(beside.acknowledgeMs)} ms, ${beside.refused} refused`,
  );
  console.log(`  Memory at most ${perProcess(peakRssMb, ' MB')}`);
}

function printSoak({ minutes, rate, refused, worstAcknowledgeP99Ms, growth }) {
  console.log(
    `Soak of ${minutes} minutes at ${rate}/s: ${refused} refused, worst minute's p99 ${worstAcknowledgeP99Ms} ms`,
  );
  console.table(growth);
}
