/** Something that happens at one moment of true time. */
export interface SimEvent {
  atMs: number;
  /** Order among events of one moment. */
  order: number;
  /** Order of creation, for what is equal otherwise. */
  readonly sequence: number;
  /** Whose event it is: a process that is blocked gets it later, a dead one never. */
  readonly host: Host | undefined;
  cancelled: boolean;
  readonly run: () => void;
}

/** What the kernel must know of a process. */
export interface Host {
  readonly alive: boolean;
  /** Until this true time nothing of the process runs. */
  readonly blockedUntilMs: number;
}

/** Events in order of true time: a binary heap. */
export class EventHeap {
  readonly #events: SimEvent[] = [];

  push(event: SimEvent): void {
    const events = this.#events;
    let index = events.push(event) - 1;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = events[parentIndex];
      if (!parent || !isBefore(event, parent)) {
        break;
      }
      events[index] = parent;
      index = parentIndex;
    }
    events[index] = event;
  }

  pop(): SimEvent | undefined {
    const [first] = this.#events;
    const last = this.#events.pop();
    if (last && this.#events.length > 0) {
      this.#sink(last);
    }
    return first;
  }

  #sink(event: SimEvent): void {
    const events = this.#events;
    let index = 0;
    for (;;) {
      const left = events[2 * index + 1];
      const right = events[2 * index + 2];
      const childIndex = right && left && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
      const child = events[childIndex];
      if (!child || !isBefore(child, event)) {
        break;
      }
      events[index] = child;
      index = childIndex;
    }
    events[index] = event;
  }
}

function isBefore(one: SimEvent, other: SimEvent): boolean {
  return (one.atMs - other.atMs || one.order - other.order || one.sequence - other.sequence) < 0;
}
