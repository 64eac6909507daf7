/**
 * Promises about leaders: what they believe, and what they leave behind.
 *
 * @module
 */
import { calmLegMs } from './plan.ts';
import {
  answeredRequests,
  commitsOf,
  entriesOf,
  grantsOf,
  guardedWritesOf,
  isApplied,
  Judge,
  kindOf,
  storedToken,
  tokenOf,
  type Evidence,
  type Verdict,
} from './verdict.ts';

/** S5: the highest token never falls, and a write is accepted exactly if its token is not lower. */
export function guardIsMonotonic(evidence: Evidence): Verdict {
  const judge = new Judge();
  for (const write of guardedWritesOf(evidence)) {
    const token = tokenOf(write);
    const { accepted, atMs, highestBefore, highestAfter } = write;
    judge.count(accepted ? 'accepted writes' : 'rejected writes');
    judge.expect(
      accepted === token >= highestBefore && highestAfter >= highestBefore,
      atMs,
      `token ${token} was ${accepted ? 'accepted' : 'rejected'}, the highest was ${highestBefore}`,
    );
  }
  return judge.verdict;
}

/** S6: after an accepted write with a token, none with a lower one is ever accepted. */
export function oneEffectiveWriter(evidence: Evidence): Verdict {
  const judge = new Judge();
  let highest = 0;
  for (const write of guardedWritesOf(evidence)) {
    const token = tokenOf(write);
    judge.count('stale writes that arrived', token < highest ? 1 : 0);
    if (write.accepted) {
      judge.expect(token >= highest, write.atMs, `${token} was accepted after ${highest}`);
      highest = Math.max(highest, token);
    }
  }
  return judge.verdict;
}

/**
 * S8: no two terms are believed in at the same moment of true time, and none for longer than its
 * renew deadline after the last answered write was sent. Within the assumptions about clocks only.
 */
export function beliefsAreDisjoint(evidence: Evidence): Verdict {
  const judge = new Judge();
  if (evidence.plan.weather === 'unbounded') {
    return judge.verdict;
  }
  const beliefs = evidence.history.beliefs.toSorted((a, b) => a.fencingToken - b.fencingToken);
  let previous: (typeof beliefs)[number] | undefined;
  for (const belief of beliefs) {
    const { process, fencingToken, firstAtMs, lastAtMs, longestAgeMs, renewDeadlineMs } = belief;
    judge.count('terms believed in');
    judge.expect(
      longestAgeMs < renewDeadlineMs + 0.001,
      lastAtMs,
      `${process} believed in ${fencingToken} ${Math.round(longestAgeMs)} ms after its last answered write was sent`,
    );
    if (previous) {
      judge.count('changes of belief between processes', previous.process === process ? 0 : 1);
      judge.expect(
        previous.lastAtMs < firstAtMs,
        firstAtMs,
        `${process} believed in ${fencingToken} while ${previous.process} believed in ${previous.fencingToken}`,
      );
    }
    previous = belief;
  }
  return judge.verdict;
}

/** S12, at the leader: a leadership that is over stays over, whatever arrives late. */
export function overStaysOver(evidence: Evidence): Verdict {
  const judge = new Judge();
  judge.count(
    'leaderships seen over',
    evidence.history.beliefs.filter(({ isOver }) => isOver).length,
  );
  for (const { atMs, process, fencingToken } of entriesOf(evidence, 'revived')) {
    judge.expect(false, atMs, `${process} believes in ${fencingToken} again`);
  }
  return judge.verdict;
}

/** S16: a term is lost to another only on proof, never because an answer is missing. */
export function lossIsProved(evidence: Evidence): Verdict {
  const judge = new Judge();
  const ended = endedTerms(evidence);
  const answered = answeredRequests(evidence);
  for (const commit of commitsOf(evidence).filter(isApplied)) {
    const isAmbiguous = kindOf(commit) === 'renew' && !answered.has(commit.request.id);
    judge.count('applied renewals without an answer', isAmbiguous ? 1 : 0);
  }
  for (const { event, detail, fencingToken = 0, atMs, process } of entriesOf(evidence, 'report')) {
    if (event === 'lost' && detail === 'taken-over') {
      judge.count('losses to another');
      const isProved = (ended.get(fencingToken) ?? Infinity) <= atMs;
      judge.expect(isProved, atMs, `${process} gave up ${fencingToken}, which was still its own`);
    }
  }
  return judge.verdict;
}

/** When the store first showed that a term is over: released, superseded or expired there. */
function endedTerms(evidence: Evidence): ReadonlyMap<number, number> {
  const ended = new Map<number, number>();
  for (const commit of commitsOf(evidence)) {
    const token = storedToken(commit.before) ?? 0;
    const isEnd = isApplied(commit)
      ? kindOf(commit) !== 'renew'
      : commit.before.state === 'expired';
    if (isEnd && !ended.has(token)) {
      ended.set(token, commit.atMs);
    }
  }
  return ended;
}

/** After `lead` has settled nothing runs: no timer, no store call, no listener. */
export function nothingIsLeftRunning(evidence: Evidence): Verdict {
  const judge = new Judge();
  for (const { atMs, process, outcome, leftovers } of entriesOf(evidence, 'settled')) {
    judge.count('settled calls');
    judge.expect(leftovers === 0, atMs, `${process} left ${leftovers} things running: ${outcome}`);
  }
  return judge.verdict;
}

/**
 * A campaign outlasts every failure of the store, and a call that its caller has aborted says so and
 * does not blame the store.
 */
export function callsSettleAsPromised(evidence: Evidence): Verdict {
  const judge = new Judge();
  for (const { atMs, process, outcome, call, aborted } of entriesOf(evidence, 'settled')) {
    const blamesStore = /^(?:StoreUnavailable|OutcomeUnknown)Error/u.test(outcome);
    judge.count(`${call}: ${outcome.replace(/:.*| with \d+/u, '')}${aborted ? ', aborted' : ''}`);
    judge.expect(
      !blamesStore || (call === 'lead' && !aborted),
      atMs,
      `${process}: ${call} ended with ${outcome}${aborted ? ', its caller had aborted it' : ''}`,
    );
  }
  return judge.verdict;
}

/**
 * L1: a leader that crashed is replaced within lease duration, retry period and three round trips
 * of its last applied write. In calm schedules, where all candidates campaign.
 */
export function deadLeaderIsReplaced(evidence: Evidence): Verdict {
  const judge = new Judge();
  const { plan } = evidence;
  if (plan.weather !== 'calm') {
    return judge.verdict;
  }
  const retryPeriodMs = Math.max(...plan.timings.map((timing) => timing.retryPeriodMs));
  const commits = commitsOf(evidence);
  const grants = grantsOf(evidence);
  for (const crash of entriesOf(evidence, 'fault').filter(({ what }) => what === 'crash')) {
    const last = commits
      .filter((commit) => commit.request.process === crash.process && isApplied(commit))
      .at(-1);
    if (last?.after.state !== 'held' || !isWatched(evidence, crash.process, last.atMs)) {
      continue;
    }
    const boundMs = last.after.record.leaseDurationMs + retryPeriodMs + 6 * calmLegMs;
    if (last.atMs + boundMs > plan.endMs) {
      continue;
    }
    judge.count('dead leaders');
    const next = grants.find(({ atMs }) => atMs > last.atMs)?.atMs ?? Infinity;
    judge.expect(
      next <= last.atMs + boundMs,
      last.atMs,
      `${crash.process} was replaced after ${Math.round(next - last.atMs)} ms, later than ${boundMs} ms`,
    );
  }
  return judge.verdict;
}

/** Whether another process, which never crashes, stood for the lease from well before a moment. */
function isWatched(evidence: Evidence, except: string, atMs: number): boolean {
  const faults = entriesOf(evidence, 'fault');
  const crashed = new Set(
    faults.filter(({ what }) => what === 'crash').map(({ process }) => process),
  );
  return faults.some(
    ({ what, process, atMs: startedAtMs }) =>
      what === 'start' &&
      process !== except &&
      !crashed.has(process) &&
      startedAtMs + 5_000 < atMs &&
      !isInTerm(evidence, process, atMs),
  );
}

/** Whether the work of a process was going on, perhaps for longer than its leadership. */
function isInTerm(evidence: Evidence, name: string, atMs: number): boolean {
  const isEarlier = (entry: { readonly process: string; readonly atMs: number }): boolean =>
    entry.process === name && entry.atMs <= atMs;
  const acquired = entriesOf(evidence, 'report').filter(({ event }) => event === 'acquired');
  const settled = entriesOf(evidence, 'settled');
  return acquired.filter(isEarlier).length > settled.filter(isEarlier).length;
}
