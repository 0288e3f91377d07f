const { idle, listen } = require('../fake-app.cjs');

if (process.env.SVC_WORKER_PORT) listen(process.env.SVC_WORKER_PORT);
else idle();
