package main

// The watches for collectives: random ones under random faults, and the actions of each rank.
const (
	together Watch = "internal/simulate/collectives"
	groups   Watch = "runtime/collective"
)

// collectives is the mutants of package runtime/collective, and of the code that sends its messages.
var collectives = []Mutant{
	// What is computed.
	{"the ring ends one rank early", "runtime/collective/ring.go", `if d < me.of-1 {`, `if d < me.of-2 {`, together},
	{"a mean is a sum", "runtime/collective/chunk.go", "if c.spec.Op == Mean {\n\t\tdivide(", "if false {\n\t\tdivide(", together},
	{"values are added in another order", "runtime/collective/chunk.go", `combine(c.spec, c.part(ch), c.held(ch), data)`, `combine(c.spec, c.part(ch), c.contribution(ch), data)`, together},
	{"a sum of two halves is not added", "runtime/collective/chunk.go", `g.plus(c, ch, top.data)`, `_ = top`, groups},
	{"links of earlier members count", "runtime/collective/links.go", ` && a.epoch == g.epoch && a.ranks == len(c.members)`, ``, groups},
	{"links are believed again that ranks doubt", "runtime/collective/links.go", `case g.static:`, `case false:`, groups},
	{"links that were reported are forgotten", "runtime/collective/links.go", `return g.reported`, `return Links{}`, groups},
	{"reported links are not restored", "runtime/collective/snapshot.go", `list := []*Links{&g.reported}`, `list := []*Links{new(Links)}`, groups},
	{"ranks that share a processor do not count", "runtime/collective/cost.go", `if l.Sharing > 0 {`, `if false {`, groups},
	{"who sends by another algorithm twice is not named", "runtime/collective/receive.go", ` || g.static || `, ` || `, groups},
	{"links of another rank are not heard", "runtime/collective/chunk.go", `c.links = c.links.worst(l)`, `_ = l`, groups},
	{"a chunk is added twice", "runtime/collective/receive.go", `if _, come := c.pending[at]; come || at.step < ch.pc {`, `if _, come := c.pending[at]; come || at.step < ch.pc-99 {`, together},
	{"what came early is forgotten", "runtime/collective/chunk.go", "\t\tg.replay(c)\n", "\t\t_ = g.replay\n", together},
	{"a chunk that waits is not copied", "runtime/collective/piece.go", `return piece{slices.Clone(m.Data), nil}`, `return piece{slices.Clip(m.Data), nil}`, together},
	{"a partial sum has no share in its memory", "runtime/collective/chunk.go", "\t\tsum.memory.Retain()\n", "", together},
	{"values of other sizes are taken", "runtime/collective/receive.go", `if m.Length == c.length() || c.isEnter() {`, `if true {`, groups},
	{"a decision is believed that others have not signed", "runtime/collective/report.go", `if err == nil && !g.isSigned(m, rep) {`, `if false {`, groups},
	{"a report is believed that its sender has not signed", "runtime/collective/agree.go", `case !g.isSigned(from, r):`, `case false:`, groups},
	{"signatures of reports are forgotten", "runtime/collective/restore.go", `h.signature = r.bytes()`, `h.signature = r.bytes()[:0]`, groups},
	{"who is to blame is not passed on", "runtime/collective/errors.go", `m.Chunk = r.Rank + 1`, `m.Chunk = 0 * r.Rank`, groups},
	{"values that are not finite are taken", "runtime/collective/group.go", `if s.spec.Finite && !finite(s.spec.Elem, v.Data) {`, `if false {`, groups},

	// Membership.
	{"a result that all have is computed again", "runtime/collective/recovery.go", `case allHave && c.state == holding:`, `case false:`, together},
	{"a call that has failed elsewhere succeeds here", "runtime/collective/recovery.go", `has := c.spec.Kind.atOnce() || !p.failed(c.number)`, `has := true`, groups},
	{"that a call has failed is not repeated", "runtime/collective/recovery.go", "\tg.repeatFailures(stream, d)\n", "\t_ = g.repeatFailures\n", groups},
	{"which calls have failed is not restored", "runtime/collective/restore.go", "\ts.setFailing()\n", "\ts.setFailing()\n\ts.failing = s.next\n", groups},
	{"a result is not supplied", "runtime/collective/recovery.go", `lacks: make([]bool, g.config.Ranks)}`, `lacks: make([]bool, g.config.Ranks+0*len(recoveries)), ranks: 0}; break; f = recovery{}`, together},
	{"results that differ by rank are not confirmed", "runtime/collective/spec.go", `return k == AllReduce || k == Broadcast }`, `return true }`, together},
	{"one rank of other members ends all", "runtime/collective/receive.go", "\tg.Down(from)\n\treturn ErrEpoch", "\tg.stop(&RankError{from, ErrEpoch})\n\treturn nil", groups},
	{"a minority goes on", "runtime/collective/agree.go", `if 2*len(live) <= len(g.members) {`, `if false {`, groups},
	{"an epoch ends before all agree", "runtime/collective/agree.go", `if !g.matches(g.heard[r]) {`, `if g.heard[r] == nil {`, together},
	{"who is behind is not reminded", "runtime/collective/agree.go", `if m.Type == Lost && g.last != nil && m.Epoch == g.last.epoch {`, `if false {`, together},
	{"who is left out is not told", "runtime/collective/receive.go", `g.reply(from, Message{Type: LeftOut, Epoch: g.epoch})`, ``, groups},
	{"who has stopped does not say so", "runtime/collective/receive.go", `g.reply(from, Message{Type: Gone, Epoch: m.Epoch})`, ``, together},
	{"ranks that are awaited are not asked", "runtime/call.go", `c.group.Ask(stream, w.number)`, ``, "runtime/host/mem"},
	{"a call whose code failed is waited for", "runtime/call.go", `if err := c.group.Abort(stream); err != nil {`, `if err := error(nil); err != nil {`, "runtime/host/mem"},

	// Joining.
	{"who joins takes part in what came before", "runtime/collective/call.go", `if !slices.ContainsFunc(g.members, func(r int) bool { return g.admitted[r].since > c.turn }) {`, `if true {`, groups},
	{"ranks do not agree on the call in which one joins", "runtime/collective/agree.go", ` && r.entered == g.entered`, ``, groups},
	{"one welcome is enough", "runtime/collective/join.go", `if 2*uint64(same) > of {`, `if of > 0 {`, groups},
	{"a ticket is good for ever", "runtime/collective/agree.go", `if ticket > max(g.joins[r], g.admitted[r].ticket) {`, `if ticket > g.joins[r] {`, groups},
	{"a past life is heard", "runtime/collective/join.go", `g.outbox[rank], g.asked[rank] = queue{}, 0`, `g.asked[rank] = 0`, groups},
	{"who asks to join ends the calls of a step", "runtime/collective/join.go", `case g.at[from] < 0 && !g.frozen:`, `case false:`, groups},
	{"who asks to join is forgotten at a restart", "runtime/collective/snapshot.go", `w.uint(g.asked...)`, `w.uint(make([]uint64, len(g.asked))...)`, groups},
	{"who joins is told no links", "runtime/collective/join.go", `w.links(g.reported)`, `w.links(Links{})`, groups},
	{"all write their state for one that joins", "runtime/collective/enter.go", `} else if c.me.at == from {`, `} else if c.rest != nil {`, groups},
	{"a state that was not written is given", "runtime/collective/call.go", `if c.aborted != nil { // its`, `if false { // its`, groups},
	{"who waits for a state does not learn that none comes", "runtime/collective/enter.go", `case e.Type == Failed:`, `case false:`, groups},
	{"who joins begins to count at 0", "runtime/collective/enter.go", `s.renumber(numbers[i])`, ``, groups},
	{"who joins is given no state", "runtime/enter.go", `err = n.partition.Components[i].UnmarshalBinary(part)`, `_, _ = i, part`, "runtime/host/mem"},
	{"who begins again is not noticed", "runtime/connect.go", `n.handleRestart(p)`, ``, "runtime/host/mem"},

	// Restoring.
	{"partial sums of 16 bits are not restored", "runtime/collective/snapshot.go", `w.bool(ch.touched || ch.partial.data != nil, ch.wide != nil)`, `w.bool(ch.touched || ch.partial.data != nil, ch.wide != nil && false)`, together},
	{"partial sums that are sent on are not restored", "runtime/collective/snapshot.go", `copy(out[ch.lo*c.size():], ch.partial.data)`, `_ = out`, groups},
	{"chunks begin again at restore", "runtime/collective/restore.go", `ch.pc, ch.touched, ch.wide, ch.sums = x.pc, x.touched, x.wide, x.sums`, `ch.pc, ch.touched, ch.wide, ch.sums = 0, x.touched, x.wide, x.sums`, together},
	{"what was to be told is not restored", "runtime/collective/restore.go", `told = append(told, sent{message: new(r.message(len(g.streams)))})`, `_ = r.message(len(g.streams))`, together},
	{"early messages are not restored", "runtime/collective/restore.go", `g.early = append(g.early, e)`, `_ = e`, together},
	{"the end of an epoch is not restored", "runtime/collective/restore.go", `g.frozen = r.bool()`, `g.frozen = r.bool() && false`, together},
	{"who waits for a result is not restored", "runtime/snapshotcalls.go", `x.waiter = waiter{f.ref(), cut}`, `_, _ = f, cut`, together},
}
