/**
 * Calls what must not fail its caller, such as a function that someone gave to be told of events:
 * drops what it throws and, unhandled, would end the process by a rejection.
 */
export function quietly(call: () => unknown): void {
  try {
    // An async function passes where one is expected that returns nothing.
    Promise.resolve(call()).catch(() => {});
  } catch {
    // Dropped by contract.
  }
}
