require('../fake-app.cjs').listen(process.env.SVC_PORT);
