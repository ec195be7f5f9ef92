/* How one event is claimed, sent and settled by several workers, so that it is neither lost nor sent by
 * two at once, whatever crashes, freezes or gets lost on the way. README.md says what stands for what.
 *
 * Everything that is not in one `atomic` may be interleaved with everything else, and any process may
 * be as slow as it likes: that alone stands for slow threads, networks and databases. Time passes in
 * ticks; a process that has something to do by a certain tick, and is not frozen, does it before that.
 *
 * Sizes, for -D: WORKERS, TRIES, CLAIMS, FAULTS, LEASE. With HEARTBEATS there are two workers, each an
 * instance of its own that sends heartbeats; without it only leases count.
 * Mutations, for -D, each of which must be refuted: see mutations.txt. */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef TRIES
#define TRIES 3        /* of the retry policy */
#endif
#ifndef CLAIMS
#define CLAIMS 4       /* all that happen; the last finds the tries used up */
#endif
#ifndef FAULTS
#define FAULTS 2       /* crashes, freezes, lost answers, late writes, claims given back: of all kinds together */
#endif

/* In ticks. A request may begin if it ends before the local deadline, which is MARGIN before the lease. */
#ifndef LEASE
#define LEASE 3
#endif
#define MARGIN 1
#ifdef HEARTBEATS
#define TIMEOUT 2      /* longer than an instance may be without a heartbeat */
#else
#define TIMEOUT 1
#endif
/* Without a heartbeat an instance is silent after SILENT, counted from before the call, and the other one
 * finds it dead after DEAD. */
#define SILENT 1
#ifdef DEAD_TOO_EARLY
#define DEAD 1
#else
#define DEAD 2
#endif

mtype:status = { pending, claimed, waiting, completed, failed, cancelled };
mtype:outcome = { none, lost, late, late_accepted, retryable, permanent, released, accepted };

#define final(s) (s == completed || s == failed || s == cancelled)
#ifdef HEARTBEATS
#define instance(w) (w)
#else
/* Workers 0 and 1 belong to one instance, as two slots of one process do. */
#define instance(w) (w / 2)
#endif

/* --- the database ------------------------------------------------------------------------------------- */

mtype:status status = pending;
byte version = 1;
byte attempt = 0;              /* number of the latest claim */
byte tries_used = 0;
byte held_by = WORKERS;        /* of the latest claim; meaningless while no worker holds it */
byte until_claimable = 0;      /* ticks: next try, or end of the lease */
mtype:outcome tried[CLAIMS + 1];  /* rows of `attempts`, and for `accepted` the history row, by number */

#ifdef HEARTBEATS
byte until_dead[WORKERS] = 255;  /* ticks until the other instance finds it dead; 255: it never sent a heartbeat */
#define other(i) (1 - i)
#ifdef REVIVED_IS_DEAD
#define left_behind(w, dead) (status == claimed && held_by != w && dead > 0)
#else
#define left_behind(w, dead) (status == claimed && held_by != w && version <= dead)
#endif
#else
#define left_behind(w, dead) false
#endif

#define claimable(w, dead) (!final(status) && (until_claimable == 0 || left_behind(w, dead)))

/* A write that its caller has given up on and that takes effect whenever it likes. */
typedef Write {
    bool there;
    byte from;
    byte version_held;
    byte try;
    mtype:outcome what;
};
Write late_write;

/* --- the workers -------------------------------------------------------------------------------------- */

byte left[WORKERS];            /* ticks until the local deadline, counted from the call that won them */
bool requesting[WORKERS];      /* the receiver is busy with a request of this worker */
byte until_timeout[WORKERS];
bool frozen[WORKERS];
#ifdef HEARTBEATS
byte beat_left[WORKERS];       /* ticks until its instance is silent */
byte dead_up_to[WORKERS];      /* claims of the other instance up to this version count as expired */
bool voided[WORKERS];          /* its instance was silent after the call of its claim */
bool ended[WORKERS];           /* its process: the other one runs on the same machine and sees that at once */
#define may_end(w) (w == 0 && !ended[w])
#ifdef RUNNING_IS_ENDED
#define seen_ended(w) true
#else
#define seen_ended(w) ended[w]
#endif
#define found_dead(w) (until_dead[w] == 0 || seen_ended(w))
#ifdef CLAIMS_SURVIVE_SILENCE
#define may_send(w) (beat_left[w] > 0)
#else
#define may_send(w) (beat_left[w] > 0 && !voided[w])
#endif
#define known_dead(w) dead_up_to[w]
#else
#define may_send(w) true
#define known_dead(w) 0
#endif
#ifdef HEARTBEATS
#define may_claim(w) (beat_left[w] > 0)
#else
#define may_claim(w) true
#endif
#ifdef SEND_WHILE_SILENT
#define may_start(w) true
#else
#define may_start(w) may_send(w)
#endif
#ifdef NO_ABORT_WHILE_SILENT
#define must_abort(w) false
#else
#define must_abort(w) (!may_send(w))
#endif

/* --- what is only watched ----------------------------------------------------------------------------- */

byte claims = 0;
byte newest_holder = WORKERS;  /* who holds the event by right */
byte sent = 0;                 /* bit set of the attempt numbers that were sent */
bool receiver_accepted = false;
bool overslept[WORKERS];       /* frozen past its deadline: the one excuse for an overlap */
byte faults = 0;

/* Every change of the row goes through here. */
inline change_row(next) {
    assert(!final(status));                                  /* terminal states never change */
    status = next;
#ifdef TAKE_OVER_WITHOUT_VERSION
    if
    :: next == claimed && held_by != WORKERS -> skip
    :: else -> version++
    fi
#else
    version++
#endif
}

#ifdef NO_VERSION_CHECK
#define fenced(w, held) (status == claimed || final(status))
#else
#ifdef SETTLE_BY_STATUS
#define fenced(w, held) (status == claimed)
#else
#ifdef SETTLE_BY_INSTANCE
#define fenced(w, held) (status == claimed && instance(held_by) == instance(w))
#else
#define fenced(w, held) (status == claimed && version == held)
#endif
#endif
#endif

#ifdef RELEASE_WITHOUT_FENCE
#define release_fenced(w, held) (status == claimed)
#else
#define release_fenced(w, held) fenced(w, held)
#endif

#ifdef EXTEND_BY_INSTANCE
#define extend_fenced(w, held) (status == claimed && instance(held_by) == instance(w))
#else
#define extend_fenced(w, held) (status == claimed && version == held)
#endif

/* What the database does with a settlement or release; `answer`: whether the caller still held it. */
inline apply(by, held, number, result, answer) {
    if
    :: (result == released && release_fenced(by, held)) || (result != released && fenced(by, held)) ->
        assert(newest_holder == by && attempt == number);    /* a stale holder changes nothing */
        answer = true;
        newest_holder = WORKERS;
        held_by = WORKERS;
        tried[number] = result;
        if
        :: result == accepted ->
            assert(receiver_accepted);                       /* COMPLETED only after a 2xx */
            change_row(completed)
        :: result == permanent -> change_row(failed)
        :: result == released -> change_row(waiting); until_claimable = 0
        :: result == retryable && tries_used + 1 < TRIES ->
            tries_used++;
            change_row(waiting);
#ifdef RETRY_FORGOTTEN
            until_claimable = 255
#else
            until_claimable = 1
#endif
        :: result == retryable && tries_used + 1 >= TRIES -> change_row(failed)
        :: result == lost -> change_row(failed)              /* its tries were used up by lost ones */
        fi
    :: else ->
        /* Success if it had happened and only the answer was lost; attempt numbers are never shared. */
        answer = tried[number] == result;
        if
        :: !answer && tried[number] == lost ->               /* its result is recorded as LATE */
            tried[number] = (result == accepted -> late_accepted : late)
        :: else -> skip
        fi
    fi
}

inline forget_claim() {
    held = 0; number = 0; dead = 0; rescued = false; took_over = false; result = none; answer = false;
    left[me] = 0; overslept[me] = false
}

/* The whole of it; what it had begun at the receiver is cut off. */
inline cut_off() {
#ifdef HEARTBEATS
    beat_left[me] = 0; dead_up_to[me] = 0; voided[me] = false;
#endif
    requesting[me] = false; until_timeout[me] = 0; frozen[me] = false;
    forget_claim()
}

/* It starts again at once. */
inline crash() {
    faults++;
    cut_off()
}

/* Issued and done at one moment: were it done later, the lease would only be longer than known. */
inline extend() {
    if
    :: extend_fenced(me, held) ->
        until_claimable = LEASE;
        if
        :: left[me] = LEASE - MARGIN
        :: faults < FAULTS -> faults++
        fi
    :: else -> took_over = true                              /* learns that it is lost: starts nothing */
    fi
}

inline begin_request(n) {
    assert(!(sent & (1 << n)));                              /* each number is sent at most once */
    assert(n <= attempt);                                    /* and only once it is committed */
    assert(status != cancelled || overslept[me]);
    i = 0;
    do
    :: i < WORKERS ->
        /* no two requests at once */
        assert(i == me || !requesting[i] || overslept[i] || overslept[me]);
        i++
    :: else -> break
    od;
    i = 0;
    sent = sent | (1 << n);
    requesting[me] = true;
    until_timeout[me] = TIMEOUT
}

proctype Worker(byte me) {
    byte held, number, i, dead;
    mtype:outcome result = none;
    bool rescued, took_over, answer;

idle:
end_idle:
    atomic {
        claimable(me, known_dead(me)) && may_claim(me) && claims < CLAIMS ->
#ifndef DEADLINE_FROM_REPLY
        left[me] = LEASE - MARGIN;
#endif
        dead = known_dead(me);
#ifdef HEARTBEATS
        voided[me] = false
#else
        skip
#endif
    }
#ifdef NUMBER_SENT_BEFORE_COMMIT
    if
    :: atomic { claims < CLAIMS && attempt + 1 <= CLAIMS -> begin_request(attempt + 1); requesting[me] = false }
    :: skip
    fi;
#endif
    /* One statement: the second caller finds nothing. */
    atomic {
        if
#ifdef CLAIM_WITHOUT_LOCK
        :: claims < CLAIMS && !final(status) ->
#else
        :: claimable(me, dead) && claims < CLAIMS ->
#endif
            rescued = (status == claimed);
            if
            :: rescued -> tried[attempt] = lost; tries_used++
            :: else -> skip
            fi;
            claims++;
            attempt++;
            change_row(claimed);
            newest_holder = me;
            held_by = me;
#ifdef LEASE_NEVER_ENDS
            until_claimable = 255;
#else
            until_claimable = LEASE;
#endif
            held = version;
            number = attempt
        :: else -> left[me] = 0; dead = 0; goto idle
        fi;
        dead = 0
    }
    if
    :: skip
    :: atomic { faults < FAULTS -> faults++ };
#ifdef VERSION_FROM_LATER_READ
        atomic { status == claimed -> held = version; number = attempt }
#else
        atomic { forget_claim(); goto idle }                 /* left to its lease */
#endif
    :: atomic { faults < FAULTS -> crash(); goto idle }
#ifdef HEARTBEATS
    :: atomic { may_end(me) -> cut_off(); ended[me] = true; goto gone }
#endif
    fi;
#ifdef DEADLINE_FROM_REPLY
    left[me] = LEASE - MARGIN;
#endif

holding:
    atomic {
        if
        :: rescued && tries_used >= TRIES -> result = lost; goto settle
        :: else -> skip
        fi;
        if
        :: tried[1] == late_accepted || tried[2] == late_accepted || tried[CLAIMS - 1] == late_accepted ->
            result = accepted; goto settle                   /* accepted before: not sent again */
        :: else -> skip
        fi
    }
ready:
    if
    :: atomic { took_over -> forget_claim(); goto idle }
    :: atomic { faults < FAULTS -> crash(); goto idle }
#ifdef HEARTBEATS
    :: atomic { may_end(me) -> cut_off(); ended[me] = true; goto gone }
#endif
    :: atomic { !took_over && faults < FAULTS -> faults++; result = released; goto settle }
    :: atomic { !took_over -> extend(); goto ready }
    /* Its instance is silent: given back. */
    :: atomic { !took_over && !may_send(me) -> result = released; goto settle }
    /* The end of the lease is too near: given back, or left to it. */
    :: atomic { !took_over && left[me] < TIMEOUT -> forget_claim(); goto idle }
#ifdef SEND_AFTER_DEADLINE
    :: atomic { !took_over -> begin_request(number) }
#else
    :: atomic { !took_over && may_start(me) && left[me] >= TIMEOUT -> begin_request(number) }
    :: atomic { !took_over && may_start(me) && left[me] >= TIMEOUT && faults < FAULTS ->
        faults++; frozen[me] = true };
        atomic { frozen[me] = false; begin_request(number) } /* after the check, before the first byte */
#endif
    fi;

requesting_now:
    if
    :: atomic { requesting[me] && !frozen[me] ->             /* 2xx, and it reaches us */
        receiver_accepted = true; requesting[me] = false; result = accepted }
    :: atomic { requesting[me] && !frozen[me] ->             /* 2xx, but it does not */
        receiver_accepted = true; requesting[me] = false;
#ifdef UNKNOWN_IS_SUCCESS
        result = accepted
#else
        result = retryable
#endif
        }
    :: atomic { requesting[me] && !frozen[me] ->             /* 5xx, refused, cut off, timed out, aborted */
        requesting[me] = false;
#ifdef UNKNOWN_IS_SUCCESS
        result = accepted
#else
        result = retryable
#endif
        }
    :: atomic { requesting[me] && !frozen[me] -> requesting[me] = false; result = permanent }
    :: atomic { requesting[me] && !frozen[me] && !took_over -> extend(); goto requesting_now }
    :: atomic { requesting[me] && !frozen[me] && faults < FAULTS -> faults++; frozen[me] = true };
        atomic { frozen[me] = false; goto requesting_now }
    :: atomic { faults < FAULTS -> crash(); goto idle }
#ifdef HEARTBEATS
    :: atomic { may_end(me) -> cut_off(); ended[me] = true; goto gone }
#endif
    fi;

settle:
    /* The end of the lease does not matter any more: the version decides. */
    atomic {
        left[me] = 0; until_timeout[me] = 0; overslept[me] = false; rescued = false; took_over = false;
#ifdef HEARTBEATS
        voided[me] = false;
#endif
        skip
    };
write:
    if
    :: atomic { apply(me, held, number, result, answer) };
        if
        :: atomic { forget_claim(); goto idle }              /* done, or LEASE_LOST: nothing more to do */
        :: atomic { faults < FAULTS -> faults++; answer = false; goto write }
        fi
    :: atomic { !late_write.there && faults < FAULTS ->
        faults++;
        late_write.there = true;
        late_write.from = me;
        late_write.version_held = held;
        late_write.try = number;
        late_write.what = result;
        goto write }
    :: atomic { faults < FAULTS -> crash(); goto idle }
#ifdef HEARTBEATS
    :: atomic { may_end(me) -> cut_off(); ended[me] = true; goto gone }
#endif
    fi;
#ifdef HEARTBEATS
gone:                                                        /* for ever */
end_gone:
    false
#endif
}

/* The twin of a call that its caller had given up on. */
proctype Zombie() {
    bool answer;
end_zombie:
    do
    :: atomic { late_write.there ->
        apply(late_write.from, late_write.version_held, late_write.try, late_write.what, answer);
        late_write.there = false; late_write.from = 0; late_write.version_held = 0;
        late_write.try = 0; late_write.what = none; answer = false }
    od
}

#ifdef HEARTBEATS
/* Sends a heartbeat whenever it likes, if that changes anything. Done when it is issued, as extend(). */
proctype Heart(byte i) {
end_heart:
    do
    :: atomic { !frozen[i] && !ended[i] && (beat_left[i] < SILENT || until_dead[i] != DEAD ||
                               (found_dead(other(i)) && dead_up_to[i] != version) ||
                               (!found_dead(other(i)) && dead_up_to[i] != 0)) ->
        until_dead[i] = DEAD;
        if
        :: beat_left[i] = SILENT;
           dead_up_to[i] = (found_dead(other(i)) -> version : 0)
        :: faults < FAULTS -> faults++
        fi }
    od
}
#endif

/* May cancel the event, or may not. */
proctype Client() {
    if
#ifdef CANCEL_WHAT_IS_CLAIMED
    :: atomic { !final(status) -> change_row(cancelled) }
#else
    :: atomic { (status == pending || status == waiting) -> change_row(cancelled) }
#endif
    :: skip
    fi
}

/* A tick passes only once each process that is awake has done what it had to do by then. */
#define urgent(w) (requesting[w] && !frozen[w] && (until_timeout[w] == 0 || left[w] == 0 || must_abort(w)))
#define counting(n) (n > 0 && n < 255)

inline count_down(n) {
    if
    :: counting(n) -> n--
    :: else -> skip
    fi
}

proctype Time() {
    byte i;
    bool wait, may;
end_time:
    do
    :: atomic {
        /* only if anything waits for it */
        counting(until_claimable) ->
        may = true;
        i = 0;
        do
        :: i < WORKERS ->
            if
            :: urgent(i) -> may = false
            :: else -> skip
            fi;
            i++
        :: else -> break
        od;
        if
        :: !may -> skip
        :: else ->
            count_down(until_claimable);
            i = 0;
            do
            :: i < WORKERS ->
                if
                :: frozen[i] && (left[i] == 0 || !may_send(i)) -> overslept[i] = true
                :: else -> skip
                fi;
#ifdef HEARTBEATS
                count_down(beat_left[i]);
                count_down(until_dead[i]);
                if
                :: beat_left[i] == 0 && left[i] > 0 -> voided[i] = true
                :: else -> skip
                fi;
#endif
                count_down(left[i]);
                count_down(until_timeout[i]);
                i++
            :: else -> break
            od
        fi;
        i = 0; may = false
        }
    od
}

/* Nothing is lost: when there is nothing left to do, the event is final, or the model has run out of claims. */
active proctype Watch() {
end_watch:
    timeout -> assert(final(status) || claims == CLAIMS)
}

init {
    byte w;
    atomic {
        w = 0;
        do
        :: w < WORKERS -> run Worker(w); w++
        :: else -> break
        od;
        w = 0;
#ifdef HEARTBEATS
        run Heart(0);
        run Heart(1);  /* late writes and cancels have nothing to do with heartbeats */
#else
        run Zombie();
        run Client();
#endif
        run Time()
    }
}
