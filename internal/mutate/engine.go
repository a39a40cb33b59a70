package main

// engine is the mutants of package runtime.
var engine = []Mutant{
	// What is durable.
	{"acknowledge before it is durable", "runtime/emit.go", `if !n.config.Durable {`, `if true {`, simulator},
	{"acknowledge what came, not what is safe", "runtime/internal/inbox/inbox.go", `b.told = b.safe`, `b.told = b.next`, simulator},
	{"acknowledge what came since the snapshot", "runtime/internal/inbox/inbox.go", `b.safe = max(b.safe, b.saved)`, `b.safe = b.next`, simulator},
	{"acknowledge what is left to the next incarnation", "runtime/internal/inbox/inbox.go", `min(upTo, b.released-1)`, `upTo`, simulator},
	{"a stopping peer waits for the next incarnation of others", "runtime/phase.go", `!p.outbox.IsReleased()`, `p.outbox.Len() > 0`, "runtime"},
	{"send before it is durable", "runtime/emit.go", `if n.config.Durable && !n.checkpoint.IsDurable(e.Epoch) && p != n.self {`, `if false {`, simulator},
	{"a snapshot makes the next epoch safe, too", "runtime/internal/checkpoint/checkpoint.go", `t.safe = t.epoch`, `t.safe = t.epoch + 1`, simulator},
	{"a snapshot while a command runs", "runtime/emit.go", `len(n.reports.bus)+n.commands.running == 0`, `len(n.reports.bus) == 0`, simulator},
	{"a snapshot is not checked", "runtime/snapshot.go", `got != sum`, `got != sum && false`, simulator},

	// Restoring.
	{"timers are forgotten at restore", "runtime/restore.go", `n.setTimer(h, at, t)`, `_, _, _ = h, at, t`, simulator},
	{"overdue gathers have a deadline when restored", "runtime/restore.go", `kind: timerKind(r.Below("timer", int(cutOverdue)+1)),`, `kind: min(timerKind(r.Below("timer", int(cutOverdue)+1)), cutDeadline),`, simulator},
	{"until is not restored", "runtime/restore.go", `-r.Age(), r.left()`, `-r.Age(), 0*r.left()`, simulator},
	{"since is not restored", "runtime/restore.go", `= -r.Age(), r.left()`, `= -0*r.Age(), r.left()`, simulator},
	{"tags are not restored", "runtime/restore.go", `n.tags = r.Uint()`, `r.Uint()`, simulator},
	{"blocked is not restored", "runtime/restore.go", `r.n.peer(c.ID).blocked = blocked`, `_ = blocked`, simulator},
	{"random numbers begin again at restore", "runtime/restore.go", `err := s.State.UnmarshalBinary(state)`, `err := func() error { _, _ = s, state; return nil }()`, simulator},
	{"senders are not restored", "runtime/restore.go", `f.senders[i] = r.peer()`, `_, _ = i, r.peer()`, simulator},
	{"outboxes are not restored", "runtime/restore.go", `p.outbox.Put(e)`, `_ = e`, simulator},
	{"waiting commands are not restored", "runtime/restore.go", `r.n.commands.add(f, cut)`, `_ = cut`, simulator},
	{"who waits for a queue is not restored", "runtime/restore.go", `q.waiting.Push(x)`, `_, _ = q, x`, simulator},
	{"who waits for peers is not restored", "runtime/restore.go", `r.n.awaits = append(r.n.awaits, a)`, `_ = a`, simulator},
	{"a restored gather has asked nobody", "runtime/restore.go", `g.Ask(p.index)`, `_ = p`, simulator},
	{"a restored gather does not know when it asked", "runtime/restore.go", `g.Since = r.n.now - r.Age()`, `r.Age()`, simulator},
	{"a payload for many peers is released as if it were for one", "runtime/internal/outbox/envelope.go", `p.refs++`, `p.refs = 2`, simulator},

	// Once.
	{"the window of an inbox does not know duplicates", "runtime/internal/inbox/inbox.go", `if b.window&bit != 0 {`, `if false {`, simulator},
	{"an inbox takes what lies before", "runtime/internal/inbox/inbox.go", "case seq <= b.next:\n\t\treturn false, true", "case seq < b.next:\n\t\treturn false, true", simulator},
	{"executions that have finished are forgotten", "runtime/settle.go", `n.histories.finish(f.history, n.initiator(f), f.exec.Number, n.limits.Origins)`, ``, simulator},
	{"executions that have finished begin again", "runtime/history.go", `if v.has(number) ||`, `if false ||`, simulator},
	{"a second fill under one key is taken", "runtime/admission.go", `switch settled := f.settled(cut); {`, `switch settled := false; {`, simulator},
	{"a new connection does not begin at 1", "runtime/internal/outbox/box.go", `e.Seq, e.again = uint64(i+1), e.again || i < b.sent`, `e.again = e.again || i < b.sent`, simulator},
	{"a new connection goes on with the old numbers", "runtime/connect.go", `p.silence, p.inbox = estimate.Estimate{}, inbox.Inbox{}`, `p.silence, _ = estimate.Estimate{}, inbox.Inbox{}`, simulator},
	{"what is not read is kept for the next connection", "runtime/connect.go", `n.forget(p)`, ``, simulator},
	{"an acknowledgement counts for one more", "runtime/internal/outbox/box.go", `b.At(0).Seq <= upTo`, `b.At(0).Seq <= upTo+1`, simulator},
	{"nothing is sent again", "runtime/internal/outbox/timeout.go", "\tb.sent = 0\n", "\n", simulator},
	{"values that are sent in one execution come in two", "runtime/send.go", "e.Exec = *x\n", "e.Exec = n.NewExecution()\n", simulator},
	{"what is withdrawn is owed", "runtime/internal/outbox/box.go", "withdrawn++\n\t\t\tb.discard(e)", "withdrawn++\n\t\t\tb.store.Free(e)", simulator},

	{"a request without an execution counts each time", "runtime/unnumbered.go", `Number: e.Request.ID}`, `Number: e.Request.ID + n.stats.Envelopes<<32}`, "runtime/host/mem"},
	{"envelopes for a peer that acknowledges none are kept", "runtime/poll.go", `n.dropHanded()`, `n.handed = n.handed[:0]`, "runtime/host/mem"},
	{"where peers say that they listen is forgotten", "runtime/deliver.go", `p.learn(e.SrcAddrs, &n.limits.Wire)`, ``, "runtime/host/mem"},
	{"where peers say that they listen is not in snapshots", "runtime/restore.go", `p.learn(c.Addresses, &r.n.limits.Wire)`, ``, "runtime/host/mem"},
	{"notices are lost at a restart", "runtime/restore.go", `r.n.reports.events.Push(e)`, `if e.Kind != Published {
			r.n.reports.events.Push(e)
		}`, "runtime"},

	// Permissions.
	{"a fill from a wrong sender", "runtime/admission.go", `case e.From != "" && !p.is(e.From):`, `case false:`, simulator},
	{"a fill of others' executions", "runtime/admission.go", `if x.Origin == p.id || x.Origin == n.self.id || n.mayCarry(e, x.Origin) {`, `if true {`, simulator},
	{"a fill of an execution that was not begun", "runtime/admission.go", `return fmt.Errorf("%w: %v", ErrNotBegun, *x)`, `return nil`, simulator},
	{"the number of an execution is ignored", "runtime/history.go", `h.live.Get(container.HashInRow(number), number)`, `h.live.Get(container.HashInRow(h.top), h.top)`, simulator},
	{"an early contribution that nobody asked for", "runtime/gather.go", `if g.Asks(c.from.index) {`, `if true {`, simulator},
	{"a contribution that nobody asked for", "runtime/gather.go", `case g.Armed && !g.Asks(p.index):`, `case false:`, simulator},
	{"a blocked peer is heard", "runtime/governor.go", "case p.blocked:\n\t\treturn ErrBlocked\n", "", simulator},
	{"a source that the channel has not proven", "runtime/refusal.go", `if !e.Src.IsZero() && e.Src != p.id {`, `if false {`, "runtime"},
	{"an acknowledgement of what was never sent", "runtime/refusal.go", `if e.Ack > p.outbox.Last() {`, `if false {`, "runtime"},
	{"another program is let in", "runtime/connect.go", `case !n.accepts(h.Fingerprint):`, `case !n.accepts(h.Fingerprint) && false:`, "runtime"},
	{"another class is let in", "runtime/connect.go", `case !classes.Is(classes.Join(h.Classes...), p.Class):`, `case false:`, "runtime"},
	{"an incarnation that is over is let in", "runtime/connect.go", `case h.Incarnation < p.incarnation:`, `case false:`, "runtime"},
	{"a payload of another size", "runtime/admission.go", `case e.Size > 0 && fill.Len() != uint64(e.Size):`, `case false:`, "runtime"},
	{"a peer that breaks the rules is heard", "runtime/governor.go", `p.ignoredUntil = n.now + backoff(p.failures-tolerance)`, ``, "runtime"},
	{"what is left out counts", "runtime/gather.go", `if c.ended && !c.broken {`, `if c.ended {`, simulator},

	// Gathers.
	{"all but one are all", "runtime/internal/quorum/verdict.go", `case g.count >= g.Full:`, `case g.count+1 >= g.Full:`, simulator},
	{"one fewer than the quorum", "runtime/internal/quorum/verdict.go", `case g.count < g.Min:`, `case g.count+1 < g.Min:`, simulator},
	{"what reads the values of a failed block runs", "runtime/settle.go", `for _, b := range blk.neededBy {`, `for _, b := range blk.neededBy[:0] {`, "runtime"},
	{"an overdue gather ends below its quorum", "runtime/internal/quorum/verdict.go", `if waited >= LongestWait ||`, `if true || waited >= LongestWait ||`, simulator},
	{"a peer may be late for ever", "runtime/internal/quorum/verdict.go", `until = g.ReachedAt + g.budget() -`, `until = g.ReachedAt + 1000*g.budget() -`, played},
	{"debts of lateness are repaid at once", "runtime/internal/quorum/lateness.go", `(g.ReachedAt - g.Since) / 2`, `g.ReachedAt - g.Since`, played},
	{"contributions in the order in which they come", "runtime/gather.go", `g.children = slices.Insert(g.children, at, c)`, `g.children = append(g.children, c)`, simulator},
	{"peers in the order of their names", "runtime/peer.go", `if x := cmp.Or(cmp.Compare(c.Rank, d.Rank), cmp.Compare(c.Class, d.Class)); x != 0 {`, `if x := cmp.Compare(c.Class, d.Class); x != 0 {`, simulator},

	{"a peer that never answers is up for ever", "runtime/internal/estimate/estimate.go", `if heartbeat == 0 {`, `if true {`, "runtime"},
	{"who has lost the request is waited for", "runtime/health.go", `n.leaveOut(f, g, p)`, `_ = g`, "runtime"},
	{"who has lost several requests is waited for", "runtime/open.go", "\tf.prev = nil\n", "\tf.prev, f.next = nil, nil\n", "runtime"},
	{"what was sent before a loss counts as not sent", "runtime/internal/outbox/box.go", "\tb.Rewind()\n\tb.last = 0\n", "\tb.sent, b.last = 0, 0\n", "runtime/internal/outbox"},
	{"a peer that goes on says that it has forgotten", "runtime/connect.go", `!n.restored,`, `true,`, simulator},

	// Losses.
	{"receivers are not told of a failed block", "runtime/settle.go", "\tn.tellLost(f, block, err)\n", "", simulator},
	{"losses are not restored", "runtime/restore.go", `e.AddLost(edge, reason.Line(string(r.Bytes())))`, `_ = reason.Line(string(r.Bytes()))`, simulator},
	{"a loss settles what others may fill", "runtime/loss.go", `if n.othersMayFill(f, e) {`, `if false {`, "runtime"},
	{"a loss is told in an execution that nobody knows", "runtime/loss.go", `if len(blk.Sends) == 0 || !f.isKnown(n.self) {`, `if len(blk.Sends) == 0 {`, "runtime"},
	{"losses of asked peers are not restored", "runtime/restore.go", `f.losses = append(f.losses, loss{cut, p})`, `_ = cut`, "runtime"},
	{"who was not asked may answer after a restart", "runtime/restore.go", `f.restored = false`, `_ = f`, "runtime"},
	{"the reason for a loss names a local file", "runtime/internal/reason/reason.go", `Line(before + hidePaths(oneLine(text)))`, `Line(before + err.Error())`, "runtime/internal/reason"},
	{"what comes again on a new connection is told as late", "runtime/refusal.go", `r.again && errors.Is(err, ErrLate)`, `false`, "runtime"},
	{"a late loss is reported", "runtime/refusal.go", `if fill.Lost != "" {`, `if false {`, "runtime"},

	// Rounds without a quorum.
	{"a loop ends with a round without a quorum", "runtime/short.go", "\tn.wakeAfter(f, m.Again, wait)\n", "\t_ = wait\n", simulator},
	{"a loop goes on after any failure", "runtime/short.go", `!errors.Is(err, ErrQuorum) ||`, `false && !errors.Is(err, ErrQuorum) ||`, "runtime"},
	{"who waits for a quorum gives up", "runtime/short.go", `if m := f.module; m.Short != ShortWaits`, `if m := f.module; true || m.Short != ShortWaits`, "runtime"},
	{"who waits for a quorum waits for ever", "runtime/short.go", `n.now-g.Since >= m.Patience`, `false`, "runtime"},
	{"a round that has its quorum never ends", "runtime/short.go", `f.finish(f.module.again)`, ``, simulator},
	{"pauses after rounds without a quorum do not grow", "runtime/short.go", `firstPause<<min(m.shortRounds, 8)`, `firstPause<<min(m.shortRounds, 0)`, "runtime"},

	// Commands and time.
	{"two commands of a slot at once", "runtime/commands.go", `.busy = true`, `.busy = false`, simulator},
	{"a slot is never free again", "runtime/commands.go", `c.slots[x.frame.module.Cuts[x.cut].Slot].busy = false`, ``, simulator},
	{"a peer is never dialed again", "runtime/poll.go", `t.peer.waiting = false`, ``, simulator},
	{"a clock ticks once", "runtime/poll.go", `n.setTick(t.cut)`, ``, simulator},
	{"the clocks of who is stopping are not in its snapshot", "runtime/poll.go", `n.setTick(t.cut)`, `if n.phase == phaseRunning { n.setTick(t.cut) }`, simulator},
	{"fills are let in while a bootstrap runs again", "runtime/deliver.go", `n.phase < phaseRunning || len(n.rebooting) > 0`, `n.phase < phaseRunning`, simulator},
	{"what came while a bootstrap ran again is never let in", "runtime/boot.go", "\t\tn.readEarly()\n", "\t\tn.early = early{}\n", "runtime"},
	{"one peer takes all places before the end of the bootstrap", "runtime/ingress.go", `limits.InFairShare(p.early, 1, len(e.list), l.Ingress)`, `len(e.list) < l.Ingress`, "runtime"},
	{"the host begins others while a bootstrap runs again", "runtime/boot.go", ` || len(n.rebooting) == 0`, ` || true`, "runtime"},
	{"that a bootstrap runs again is not known after a restart", "runtime/boot.go", "\t\tn.reboot(f)\n\t}\n", "\t}\n", "runtime"},
	{"fills are let in before the bootstrap is over", "runtime/deliver.go", `if !m.Bootstrap {`, `if false {`, simulator},

	{"what never comes is waited for", "runtime/poll.go", `n.expire(t.frame, t.cut)`, ``, simulator},
	{"a timer of an execution wakes the next", "runtime/frame.go", `r.frame.gen != r.gen || r.frame.ended`, `r.frame.ended`, simulator},
	{"a silent peer is never down", "runtime/health.go", `case phi >= estimate.Down:`, `case phi < 0:`, "runtime"},

	// Fair queueing.
	{"a peer is read as long as it sends", "runtime/deliver.go", `p.credit > 0 && q.queue.Len() > 0`, `q.queue.Len() > 0`, "runtime"},
	{"the host is not heard between turns", "runtime/deliver.go", `in.more = in.n > 0`, `in.more = false`, "runtime"},
	{"an envelope of many fills is not paid for", "runtime/ingress.go", `min(p.credit, 0)`, `0`, "runtime"},
	{"a peer may fill the ingress", "runtime/ingress.go", `limits.InFairShare(has, 1, in.n, l.Ingress)`, `has < l.Ingress`, "runtime"},

	// Contributions.
	{"half a contribution is taken", "runtime/gatherer.go", `if c.ended && !c.broken {`, `if true {`, "runtime"},
	{"what a command refuses counts", "runtime/command.go", `few := n.leaveOutRefused(f, cut); few != nil`, `few := error(nil); few != nil`, "runtime"},
	{"a round is over while a command runs", "runtime/gatherer.go", `g.slot >= 0 && n.commands.isBusy(g.slot)`, `false`, "runtime"},
	{"a command does not know its round", "runtime/emit.go", `n.enterRound(r.frame, r.frame.module.Cuts[r.cut].Slot)`, ``, "runtime"},

	// Tables and memory.
	{"a peer may have all there is", "runtime/limits/fairshare.go", `return more <= limit-used-has`, `return true`, "runtime"},
	{"other events take the place of results", "runtime/event.go", `if r.durable && r.events.At(0).Kind.isResult() {`, `if false {`, "runtime"},
	{"who asks one that is stopping is blamed", "runtime/refusal.go", ` || errors.Is(err, errNotRunning)`, ``, "runtime"},
	{"an answer is in the share of who answers", "runtime/charge.go", "\t\treturn f.owner\n", "\t\treturn from\n", "runtime"},
	{"a peer may have all timers", "runtime/timer.go", `return owner == nil || owner == n.self || n.ledger.Admits(`, `return true || n.ledger.Admits(`, "runtime"},
	{"timers of who has ended are counted", "runtime/open.go", `n.countTimers(f, -f.timers)`, ``, "runtime"},
	{"what was early stays in the share of who sent it", "runtime/gather.go", `c.charge(f.owner)`, ``, "runtime"},
	{"answers are in nobody's share at restore", "runtime/restore.go", `c.charge(f.payer(g, c.from))`, `c.charge(nil)`, "runtime"},
	{"a payload in a file is not let go", "runtime/internal/outbox/payload.go", `p.blob.Release()`, ``, simulator},
	{"a value that changes is shared with the disk", "runtime/internal/outbox/payload.go", `if !v.Final {`, `if v.Data == nil {`, simulator},
	{"a payload is let go too early", "runtime/internal/outbox/payload.go", `if p.refs--; p.refs > 0 {`, `if p.refs--; p.refs > 1 {`, simulator},
	{"a large value is taken without a share in it", "runtime/values/large.go", `fill.Blob.Retain()`, ``, simulator},
	{"a payload is read before it is loaded", "runtime/load.go", `if !isFile(x) || a.edges[i].InParts {`, `if true {`, simulator},
	{"what is loaded without room for it", "runtime/load.go", `a.edges[i].Collective == nil && !n.mayHold(`, `false && !n.mayHold(`, "runtime"},
	{"what is loaded is not counted", "runtime/load.go", `n.ledger.Add(&p.uses, ledger.Held, size)`, `n.ledger.Add(&p.uses, ledger.Held, 0*size)`, "runtime"},
	{"the file of a loaded payload is not let go", "runtime/load.go", "a.missing--\n\t\t\tfile.Release()", "a.missing--", simulator},
	{"what is loaded for one envelope is taken twice", "runtime/load.go", `if a.loads[i] && x == file {`, `if x == file {`, "runtime"},
	{"own payloads are sent before they are loaded", "runtime/emit.go", `if p == n.self && !n.loadOwn(e) || !o.Send(n.now) {`, `if !o.Send(n.now) {`, "runtime"},
	{"what came as bulk is not let go", "runtime/bulk.go", `defer a.release()`, ``, simulator},
	{"any bulk payload will do", "runtime/load.go", `if a.bulks[i] == b && a.data[i] == nil {`, `if a.bulks[i].ID != 0 && a.data[i] == nil {`, simulator},

	// Spans.
	{"an activity ends without a span", "runtime/open.go", "\tif !f.ended {\n\t\tn.endActivity(f)", "\tif false {\n\t\tn.endActivity(f)", simulator},
	{"an activity ends twice in spans", "runtime/open.go", "\tif !f.ended {\n\t\tn.endActivity(f)", "\tif true {\n\t\tn.endActivity(f)", simulator},
	{"a wait begins before its activity", "runtime/span.go", `wait{since: n.now}`, `wait{since: 0}`, simulator},
	{"a wait that has not begun ends", "runtime/span.go", `f.waits[cut].since < 0`, `false`, simulator},
}
