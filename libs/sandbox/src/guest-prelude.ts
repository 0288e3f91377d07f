/**
 * The guest's side of the border between host and guest. It runs before any guest code and captures every intrinsic it
 * needs, so a guest that changes the intrinsics cannot affect it. It adds only `console`, `sleep` and `run` to the
 * global object, makes calls fail that would need Intl, and returns an object with the functions that the host calls.
 */
export const GUEST_PRELUDE = `((hostLog, hostSleep, maxOutput, maxLine, maxLines) => {
  'use strict';
  const { parse, stringify } = JSON;
  const { freeze, defineProperty } = Object;
  const { apply } = Reflect;
  const Text = String, Later = Promise, Failure = Error, Wrong = TypeError;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const cut = uncurry(Text.prototype.slice);
  const sourceOf = uncurry(Function.prototype.toString);
  const wakers = { __proto__: null };
  let run, sleeps = 0, lines = 0;

  const show = (value) => {
    if (typeof value === 'string') return value;
    try {
      const json = stringify(value);
      return json === undefined ? Text(value) : json;
    } catch {
      try { return Text(value); } catch { return '(cannot be shown)'; }
    }
  };
  const say = (prefix) => (...values) => {
    if (++lines > maxLines) return;
    let line = prefix;
    for (let i = 0; i < values.length && line.length < maxLine; i++) {
      const text = values[i] instanceof Failure ? describe(values[i]) : show(values[i]);
      line += (i > 0 ? ' ' : '') + cut(text, 0, maxLine);
    }
    hostLog(stringify(cut(line, 0, maxLine)));
  };
  const text = (value, most) => (value === undefined ? '' : cut(Text(value), 0, most));
  const describe = (error) => {
    const message = text(error.message, 2000);
    return text(error.name, 100) + (message ? ': ' + message : '');
  };

  const global = globalThis;
  global.console = { log: say(''), info: say(''), warn: say('[warn] '), error: say('[error] '), debug: say('[debug] ') };
  global.sleep = (ms) => {
    const id = ++sleeps;
    const refusal = run === undefined ? 'sleep is not available outside of the step' : hostSleep(id, +ms);
    if (refusal) throw new Failure(refusal);
    return new Later((wake) => { wakers[id] = wake; });
  };
  defineProperty(global, 'run', { get: () => run, enumerable: true });

  // Without Intl the interpreter ignores locales and options, so its answer would look right and be wrong.
  const refuseLocale = (prototype, name, argumentsBefore = 0) => {
    const plain = prototype[name];
    const { [name]: value } = {
      [name](...given) {
        for (let i = argumentsBefore; i < given.length; i++)
          if (given[i] !== undefined)
            throw new Wrong(name + ' takes no locale and no options here: code steps and expressions have no Intl.');
        return apply(plain, this, given);
      },
    };
    defineProperty(prototype, name, { value, writable: true, configurable: true });
  };
  for (const { prototype } of [Number, BigInt, Date, Array, Object.getPrototypeOf(Uint8Array)])
    refuseLocale(prototype, 'toLocaleString');
  for (const name of ['toLocaleDateString', 'toLocaleTimeString']) refuseLocale(Date.prototype, name);
  for (const name of ['toLocaleLowerCase', 'toLocaleUpperCase']) refuseLocale(Text.prototype, name);
  refuseLocale(Text.prototype, 'localeCompare', 1);

  return {
    isWhole: (made, script) => typeof made === 'function' && sourceOf(made) === script,
    makeStep: (maker) => {
      const step = maker();
      return typeof step === 'function' ? step : undefined;
    },
    start: (step, input, identity) => {
      run = freeze(parse(identity));
      return step(parse(input));
    },
    wake: (id) => {
      const wake = wakers[id];
      delete wakers[id];
      wake();
    },
    finish: (value) => {
      const json = stringify(value);
      if (json === undefined) return 'null';
      return json.length > maxOutput ? undefined : json;
    },
    describe: (thrown) => {
      let name = '', message = '', stack = '';
      try {
        if (thrown !== null && typeof thrown === 'object' && (thrown.message !== undefined || thrown.name !== undefined)) {
          name = text(thrown.name, 100);
          message = text(thrown.message, 16000);
          stack = text(thrown.stack, 4000);
        } else message = cut(show(thrown), 0, 16000);
      } catch { message = message || '(cannot be shown)'; }
      return stringify({ __proto__: null, name, message, stack, isNull: thrown === null, isError: name !== '' });
    },
  };
})`;
