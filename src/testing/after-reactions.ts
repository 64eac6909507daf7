// Taken at once: a test runner's fake timers would replace it by one that never comes.
// It is no timer: the event loop runs it as soon as no promise reaction is left, and no time passes.
// oxlint-disable-next-line no-restricted-globals
const nextTurn = setImmediate;

/** Lets every promise reaction run that is ready to, and those that it makes ready. */
export function afterReactions(): Promise<void> {
  return new Promise((resolve) => {
    nextTurn(resolve);
  });
}
