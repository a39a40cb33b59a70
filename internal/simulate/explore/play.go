package explore

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Result is the result of a case.
type Result struct {
	Hash  uint64 // of all steps
	Steps int    // blocks that have run
	Now   int64  // when it was over
	Err   error

	seen counted
}

// Play runs a case. Log, if not nil, is called with each step.
func Play(c *Case, log func(string)) (r Result) {
	w := newWorld(c, log)
	defer func() {
		if p := recover(); p != nil {
			r.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	done, err := w.net.Run(w.deadline(), w.over)
	r = Result{Hash: w.net.Hash(), Steps: w.net.Steps, Now: w.net.Now(), Err: cmp.Or(w.err, err), seen: w.seen}
	if r.Err == nil && !done {
		r.Err = w.stuck()
	}
	return r
}

// world is a running case.
type world struct {
	c      *Case
	limits limits.Limits
	net    *mem.Network
	log    func(string)
	part   []*part // of each peer: the present program
	err    error   // the first violated invariant
	seen   counted

	told         map[[2]int][]float64     // the results of rounds, by lane and round
	left         map[[2]int]bool          // skipped rounds
	failed       map[question]wire.ExecID // the first executions of questions to workers that may fail
	came         map[channel]map[uint64][]deed
	heard        map[*runtime.Node]uint64 // how many envelopes it has received, each counted once
	slots        map[[2]int]*runtime.Node // with running commands, by peer and slot
	open         map[*runtime.Node]spans  // whose activities have not ended
	ticks        map[*part]int64          // the counts of clocks when everything else was over
	leaderBlocks bool                     // the leader has blocked the last of the workers
	torn         bool                     // a disk has lied: durable data were lost

	replays map[[2]int][][]byte // the messages of liars
}

// channel is one end of a channel. Each time the channel opens it gets a new number.
type channel struct {
	from, to int
	number   uint64
}

func newWorld(c *Case, log func(string)) *world {
	w := &world{c: c, limits: c.Limits.of(), net: mem.New(c.World), log: log, part: make([]*part, c.peers()), seen: make(counted, len(happenings)),
		told: map[[2]int][]float64{}, left: map[[2]int]bool{}, failed: map[question]wire.ExecID{}, came: map[channel]map[uint64][]deed{}, heard: map[*runtime.Node]uint64{}, slots: map[[2]int]*runtime.Node{}, open: map[*runtime.Node]spans{}, ticks: map[*part]int64{}, replays: map[[2]int][][]byte{}}
	w.net.Told, w.net.Started = w.tells, w.starts
	w.net.Sent, w.net.Delivered, w.net.Saved, w.net.Ran = w.sends, w.delivered, w.saved, w.runs
	w.net.Torn = func(int) { w.torn = true }
	w.net.Unwritten = func(int) { w.seen.saw(unwritten) }
	w.net.Struck = func(k mem.FaultKind) { w.seen.saw(faultDone[k]) }
	w.seen.sawLimits(c.Limits)
	if c.Insiders > 0 {
		w.net.Forge = newLiar(w).forge
	}
	if c.Insiders > 1 {
		w.seen.saw(manyInsiders)
	}
	for i := range c.peers() {
		w.add(i)
	}
	w.members()
	return w
}

// add adds a peer.
func (w *world) add(i int) {
	c := w.c
	_, rank := c.class(i)
	rc := runtime.Config{Rank: rank, Seed: c.Seed, Durable: !c.isForgetful(i), Limits: w.limits, Heartbeat: c.Heartbeat}
	rc.Trace = func(s runtime.Step) {
		if w.log != nil {
			w.log(fmt.Sprintf("%12d node %d: %s.%s of %d/%d", w.net.Now(), i, s.Module, s.Block, s.Exec.Incarnation, s.Exec.Number))
		}
	}
	rc.Span = func(s *runtime.Span) { w.spans(i, s) }
	make := func() *runtime.Partition {
		p := newPart(c, i, func(err error) { w.wrong(i, err) })
		p.blocksLast, p.seen, p.skips = w.leaderBlocks, w.seen, w.skips
		if c.mayFail(i) {
			p.fails = func(x wire.ExecID, name string, block, last, lane, round int) bool {
				return w.fails(i, question{i, name, lane, round}, x, block, last)
			}
		}
		if w.net.Now() > 0 && c.isForgetful(i) {
			w.seen.saw(forgot)
		}
		w.part[i] = p
		return &p.Partition
	}
	if c.Joins > 0 && i == c.peers()-1 {
		w.net.AddAbsent(rc, make)
	} else {
		w.net.Add(rc, make)
	}
}

// members plans which peers join and are blocked.
func (w *world) members() {
	last := w.c.peers() - 1
	if w.c.Joins > 0 {
		w.net.After(w.c.Joins, func() {
			w.seen.saw(joined)
			for _, i := range []int{leader, relay} {
				w.net.Join(i, last)
			}
		})
	}
	if w.c.Program.Again > 0 {
		w.net.After(w.c.Program.Again, w.boots)
	}
	if w.c.Blocked > 0 {
		w.net.After(w.c.Blocked, func() {
			w.seen.saw(blocked)
			w.net.Block(leader, last)
			w.leaderBlocks = true
			if w.part[leader] != nil {
				w.part[leader].blocksLast = true
			}
		})
	}
}

// boots makes the relay run its bootstrap again, if the relay runs.
func (w *world) boots() {
	if w.net.Invoke(relay, "boot") == nil {
		w.seen.saw(rebooted)
	}
}

// starts begins the lanes.
func (w *world) starts(i int, n *runtime.Node) {
	if i != leader {
		return
	}
	for lane := range w.c.Program.Lanes {
		if _, err := n.Invoke(n.Now(), "round", w.c.first(lane).Lend()); err != nil {
			w.wrong(i, err)
		}
	}
}

// patience is how long after the last fault all peers must be idle, ns: the longest retry interval of peers is
// a minute, and a few may follow each other.
const patience = 600e9

func (w *world) deadline() int64 {
	last := max(w.c.World.Heal, w.c.Joins, w.c.Blocked, w.c.Program.Again)
	for _, f := range w.c.World.Faults {
		last = max(last, f.At+f.For)
	}
	return last + patience
}

func (w *world) wrong(i int, err error) {
	if w.err == nil {
		class, rank := w.c.class(i)
		w.err = fmt.Errorf("at %d ns %s %d: %w", w.net.Now(), class, rank, err)
	}
}

// over reports whether all rounds have their results, all messages are acknowledged, and no execution is left.
func (w *world) over() bool {
	if w.err != nil || w.torn {
		return true
	}
	w.bounded()
	if !w.allTold() || w.net.Now() < w.c.World.Heal {
		return false
	}
	for i := range w.c.peers() {
		if !w.isIdle(i) {
			return false
		}
	}
	w.end()
	return true
}

// skips records that a round was skipped. A crash may undo that.
func (w *world) skips(lane, round int) { w.left[[2]int{lane, round}] = true }

// allTold reports whether each round has its result, or was skipped.
func (w *world) allTold() bool {
	p := &w.c.Program
	for lane := range p.Lanes {
		for round := range p.Rounds {
			k := [2]int{lane, round}
			if w.told[k] == nil && !w.left[k] {
				return false
			}
		}
	}
	return true
}

// isIdle reports whether a peer is idle.
func (w *world) isIdle(i int) bool {
	if w.c.isInsider(i) || w.c.isBlocked(i) {
		return true
	}
	n := w.net.Node(i)
	if n == nil {
		return w.c.mayLeave(i)
	}
	s := n.Stats()
	if s.Live > 0 || s.Outbound > 0 && (w.c.acknowledged() || w.isOwed(n)) {
		return false
	}
	if len(w.part[i].Modules) == 0 || w.part[i].Modules[len(w.part[i].Modules)-1].Every == 0 {
		return true
	}
	now := w.part[i].ticks.Value()
	first, ok := w.ticks[w.part[i]]
	if !ok {
		w.ticks[w.part[i]], first = now, now
	}
	return now > first // otherwise the clock has stopped
}

// isOwed reports whether a peer has messages for an honest and connected one.
func (w *world) isOwed(n *runtime.Node) bool {
	for i := range w.c.peers() {
		if !w.c.isInsider(i) && !w.c.isBlocked(i) && !w.c.mayLeave(i) && n.Unacknowledged(w.peerID(i)) > 0 {
			return true
		}
	}
	return false
}

// stuck returns an error that describes the awaited values.
func (w *world) stuck() error {
	p := &w.c.Program
	err := fmt.Errorf("it does not come to rest: %d of %d rounds", len(w.told), p.Lanes*p.Rounds)
	for i := range w.c.peers() {
		n := w.net.Node(i)
		if n == nil {
			err = fmt.Errorf("%w, node %d is down", err, i)
			continue
		}
		for x := range n.Waits {
			err = fmt.Errorf("%w, node %d: %s", err, i, x.Text(n.Now(), func(id wire.PeerID) string { return fmt.Sprint("node ", indexOf(id)) }))
			break
		}
		if s := n.Stats(); s.Live+s.Outbound > 0 {
			err = fmt.Errorf("%w, node %d has %d executions and %d envelopes", err, i, s.Live, s.Outbound)
		}
	}
	return err
}

var indices = map[wire.PeerID]int{}

func init() {
	for i := range 64 {
		indices[mem.PeerID(i)] = i
	}
}

func indexOf(id wire.PeerID) int {
	if i, ok := indices[id]; ok {
		return i
	}
	return -1
}

func (w *world) peerID(i int) wire.PeerID { return mem.PeerID(i) }
