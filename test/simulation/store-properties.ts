/**
 * Promises about what the store holds, judged on its own log and on nothing that the election says.
 *
 * @module
 */
import type { Commit } from './history.ts';
import {
  answeredRequests,
  commitsOf,
  grantsOf,
  isApplied,
  Judge,
  kindOf,
  storedHolder,
  storedToken,
  tokenOf,
  type Evidence,
  type Verdict,
} from './verdict.ts';

/** S1: no two grants carry the same token, not even to the same process or by the same request. */
export function tokensAreUnique(evidence: Evidence): Verdict {
  const judge = new Judge();
  const tokens = new Set<number | undefined>();
  for (const grant of grantsOf(evidence)) {
    const token = storedToken(grant.after);
    judge.count('grants');
    judge.expect(!tokens.has(token), grant.atMs, `token ${token} was granted twice`);
    tokens.add(token);
  }
  return judge.verdict;
}

/** S2: grants in the store's order have strictly increasing tokens, and no other write lowers one. */
export function tokensRise(evidence: Evidence): Verdict {
  const judge = new Judge();
  let highest = 0;
  for (const commit of commitsOf(evidence).filter(isApplied)) {
    const token = storedToken(commit.after) ?? 0;
    if (kindOf(commit) === 'acquire') {
      judge.count(`grants of a record that was ${commit.before.state}`);
      judge.expect(token > highest, commit.atMs, `token ${token} was granted after ${highest}`);
    } else {
      judge.expect(token >= highest, commit.atMs, `token ${token} was stored after ${highest}`);
    }
    highest = Math.max(highest, token);
  }
  return judge.verdict;
}

/** S3: a renewal is applied only to a record of its own term that is held, and keeps its token. */
export function renewalKeepsTerm(evidence: Evidence): Verdict {
  const judge = new Judge();
  for (const commit of commitsOf(evidence)) {
    if (kindOf(commit) !== 'renew') {
      continue;
    }
    const { atMs, before, after, granted } = commit;
    const isOwn = isOfTerm(before, commit) && before.state === 'held';
    judge.count(granted ? 'renewals' : 'refused renewals');
    judge.expect(!isApplied(commit) || isOwn, atMs, 'a renewal changed a record of no such term');
    judge.expect(
      !granted || (isOfTerm(after, commit) && after.state === 'held'),
      atMs,
      'a renewal was confirmed of a record of no such term',
    );
  }
  return judge.verdict;
}

/**
 * S4: a term begins while another holds only after exactly the duration that the record names, on
 * the taker's or the store's clock; a process's own ended term needs no wait.
 */
export function takeoverWaits(evidence: Evidence): Verdict {
  const judge = new Judge();
  const origins = new Map<number | undefined, string>();
  let heldUntilMs = 0;
  for (const commit of commitsOf(evidence).filter(isApplied)) {
    const { atMs, before, request, storeMs } = commit;
    if (request.operation.kind === 'acquire') {
      const isHeld = before.state === 'held' || before.state === 'expired';
      const isOwn = origins.get(storedToken(before)) === request.process;
      if (isHeld && !isOwn) {
        judge.count('takeovers');
        const silentMs =
          evidence.plan.expiry === 'store'
            ? storeMs - heldUntilMs
            : request.knownForMs - before.record.leaseDurationMs;
        judge.expect(silentMs >= -0.001, atMs, `taken over ${Math.round(-silentMs)} ms early`);
      }
      origins.set(tokenOf(commit), request.process);
    }
    if (commit.after.state !== 'absent') {
      heldUntilMs = storeMs + commit.after.record.leaseDurationMs;
    }
  }
  return judge.verdict;
}

/** S11: a release frees exactly its own term's record, and keeps token, holder and progress. */
export function releaseIsOwned(evidence: Evidence): Verdict {
  const judge = new Judge();
  for (const commit of commitsOf(evidence)) {
    if (kindOf(commit) !== 'release') {
      continue;
    }
    const { atMs, before, after } = commit;
    if (!isOfTerm(before, commit)) {
      judge.count("releases that met another's record");
    }
    if (isApplied(commit)) {
      judge.count('releases');
      const isOwn = isOfTerm(before, commit) && before.state !== 'free';
      judge.expect(isOwn, atMs, 'a release changed a record of no such term');
      judge.expect(
        after.state === 'free' && isOfTerm(after, commit) && keepsProgress(commit),
        atMs,
        'a release did not keep the record',
      );
    }
  }
  return judge.verdict;
}

/** S12: once a term is released or superseded in the store, none of its requests changes anything. */
export function deadTermsStayDead(evidence: Evidence): Verdict {
  const judge = new Judge();
  const dead = new Set<number>();
  const granted = new Set<number>();
  for (const commit of commitsOf(evidence)) {
    const token = tokenOf(commit);
    const { kind } = commit.request.operation;
    if (dead.has(token)) {
      judge.count(`late requests of dead terms: ${kind}`);
      judge.expect(!isApplied(commit), commit.atMs, `a ${kind} of a dead term changed the record`);
      continue;
    }
    if (!isApplied(commit)) {
      continue;
    }
    if (kind === 'release') {
      dead.add(token);
    } else if (kind === 'acquire') {
      for (const earlier of granted) {
        dead.add(earlier);
      }
      granted.add(token);
    }
  }
  return judge.verdict;
}

/**
 * S13: an acquire whose reply was lost is recognised when it is sent again, with the same token; a
 * process believes only in terms that its own attempts were granted, and in one at a time.
 */
export function lostRepliesAreSettled(evidence: Evidence): Verdict {
  const judge = new Judge();
  const answered = answeredRequests(evidence);
  const grants = grantsOf(evidence);
  const attempts = new Set<string | undefined>();
  for (const { atMs, request } of grants) {
    const { mark } = request.operation;
    judge.count('acquires whose reply was lost', answered.has(request.id) ? 0 : 1);
    judge.expect(!attempts.has(mark), atMs, 'one attempt was granted twice');
    attempts.add(mark);
  }
  for (const commit of commitsOf(evidence)) {
    if (isReplay(commit)) {
      judge.count('acquires that met their own record');
      judge.expect(commit.granted, commit.atMs, 'an acquire did not recognise its own record');
    }
  }
  const owners = new Map(
    grants.map((grant) => [`${grant.request.process} ${storedToken(grant.after)}`, grant]),
  );
  const until = new Map<string, number>();
  for (const { process, fencingToken, firstAtMs, lastAtMs } of evidence.history.beliefs) {
    const grant = owners.get(`${process} ${fencingToken}`);
    judge.expect(
      grant !== undefined,
      firstAtMs,
      `${process} believes in ${fencingToken} without a grant`,
    );
    judge.expect(
      firstAtMs >= (until.get(process) ?? 0),
      firstAtMs,
      `${process} believes in two tokens`,
    );
    until.set(process, lastAtMs);
  }
  return judge.verdict;
}

function isReplay({ request, before }: Commit): boolean {
  const { kind, mark } = request.operation;
  return kind === 'acquire' && before.state === 'held' && before.mark === mark;
}

function isOfTerm(look: Commit['after'], commit: Commit): boolean {
  return (
    storedToken(look) === tokenOf(commit) && storedHolder(look) === commit.request.operation.holder
  );
}

function keepsProgress({ before, after, request }: Commit): boolean {
  const { progress } = request.operation;
  const stored = after.state === 'absent' ? undefined : after.record.progress;
  const kept = before.state === 'absent' ? undefined : before.record.progress;
  return stored === (progress === undefined ? kept : (progress ?? undefined));
}
