require('../fake-app.cjs').idle();
