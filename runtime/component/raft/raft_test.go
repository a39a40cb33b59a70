package raft

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// cluster is servers with a common log, and a network that loses messages.
type cluster struct {
	t       *testing.T
	r       *rand.Rand
	servers []*Log
	down    []bool
	saved   [][]byte // the states that are on disk
	lost    float64  // of the messages
	late    []sent

	outcomes [][]float32 // of the rounds, as reported by some server
}

// sent is bytes in transit.
type sent struct {
	from, to int
	bytes    []byte
}

func newCluster(t *testing.T, n int, seed uint64) *cluster {
	t.Helper()
	c := &cluster{t: t, r: rand.New(rand.NewPCG(seed, 1)), down: make([]bool, n), saved: make([][]byte, n)}
	for rank := range n {
		l := &Log{Servers: n}
		if err := l.Open(runtime.Env{Class: "server", Rank: rank}); err != nil {
			t.Fatal(err)
		}
		if err := l.First(tensor.DenseOf([]float32{0, 0}, 2)); err != nil {
			t.Fatal(err)
		}
		c.servers = append(c.servers, l)
		c.save(rank)
	}
	return c
}

// save writes a server's state to disk.
func (c *cluster) save(i int) {
	b, err := c.servers[i].AppendBinary(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.saved[i] = b
}

// restart restarts a server from its disk.
func (c *cluster) restart(i int) {
	c.t.Helper()
	l := &Log{Servers: len(c.servers)}
	if err := l.Open(runtime.Env{Class: "server", Rank: i}); err != nil {
		c.t.Fatal(err)
	}
	if err := l.UnmarshalBinary(c.saved[i]); err != nil {
		c.t.Fatal(err)
	}
	c.servers[i], c.down[i] = l, false
}

// flush sends a server's messages, when its state is on disk.
func (c *cluster) flush(i int) {
	c.save(i)
	b := Batch{c.servers[i].out.list}
	c.servers[i].out = outbox{}
	for to := range c.servers {
		c.servers[i].node.ReportSnapshot(idOf(to), raft.SnapshotFinish)
	}
	bytes, err := b.AppendBinary(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for to := range c.servers {
		isFor := func(m *raftpb.Message) bool { return m.GetTo() == idOf(to) }
		if slices.ContainsFunc(b.messages, isFor) && c.r.Float64() >= c.lost {
			c.late = append(c.late, sent{i, to, bytes})
		}
	}
}

// period advances the time on all servers, and delivers messages in random order.
func (c *cluster) period() {
	c.t.Helper()
	for i, l := range c.servers {
		if !c.down[i] {
			l.tick(c.r.IntN)
			l.storeAndApply()
			c.lead(i)
			c.flush(i)
		}
	}
	for len(c.late) > 0 {
		k := c.r.IntN(len(c.late))
		s := c.late[k]
		c.late = slices.Delete(c.late, k, k+1)
		if c.down[s.to] {
			continue
		}
		var b Batch
		if err := b.UnmarshalBinary(s.bytes); err != nil {
			c.t.Fatal(err)
		}
		if err := c.servers[s.to].step(s.from, b); err != nil {
			c.t.Fatal(err)
		}
		c.flush(s.to)
	}
	for i := range c.servers {
		c.told(i)
	}
}

// lead runs a round if the server has the turn: the outcome identifies the server.
func (c *cluster) lead(i int) {
	l := c.servers[i]
	if !l.turn(1 << 40) {
		return
	}
	x, err := l.Begin(l.machine.round)
	if err != nil {
		c.t.Fatal(err)
	}
	x.Data[0]++
	x.Data[1] = x.Data[1]*3 + float32(i)
	if err := l.Propose(l.machine.round, x); err != nil {
		c.t.Fatal(err)
	}
}

// told compares a server's outcomes with those of others: each round has one outcome, which follows from the
// previous one.
func (c *cluster) told(i int) {
	c.t.Helper()
	m := &c.servers[i].machine
	if c.down[i] || m.round == 0 {
		return
	}
	for int64(len(c.outcomes)) < m.round {
		c.outcomes = append(c.outcomes, nil)
	}
	if c.outcomes[m.round-1] == nil {
		c.outcomes[m.round-1] = slices.Clone(m.value)
	}
	if want := c.outcomes[m.round-1]; !slices.Equal(m.value, want) || m.value[0] != float32(m.round) {
		c.t.Fatalf("server %d has %v of round %d, others %v", i, m.value, m.round-1, want)
	}
}

// A leader that dies is replaced, rounds continue, and a returning server catches up, whether it has missed few
// rounds or many.
func TestLeaderDies(t *testing.T) {
	for _, missed := range []int64{2, 20} {
		c := newCluster(t, 3, 1)
		for k := 0; len(c.outcomes) < 5; k++ {
			if c.period(); k > 200 {
				t.Fatal("nothing is decided")
			}
		}
		dead := slices.IndexFunc(c.servers, (*Log).isLeader)
		c.down[dead] = true
		until := int64(len(c.outcomes)) + missed
		for k := 0; int64(len(c.outcomes)) < until; k++ {
			if c.period(); k > 200 {
				t.Fatal("nothing is decided without the leader")
			}
		}
		c.restart(dead)
		for k := 0; c.servers[dead].machine.round < until; k++ {
			if c.period(); k > 200 {
				t.Fatalf("the server that was away has %d rounds, others %d", c.servers[dead].machine.round, until)
			}
		}
	}
}

// Of two outcomes of a round that a leader proposes, the first counts, on all servers.
func TestTwice(t *testing.T) {
	c := newCluster(t, 3, 1)
	for k := 0; len(c.outcomes) < 2; k++ {
		if c.period(); k > 200 {
			t.Fatal("nothing is decided")
		}
	}
	leader := c.servers[slices.IndexFunc(c.servers, (*Log).isLeader)]
	round := leader.machine.round
	for _, x := range []float32{1, 2} {
		if err := leader.Propose(round, tensor.DenseOf([]float32{float32(round + 1), x}, 2)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range c.servers {
		c.flush(i)
	}
	for k := 0; int64(len(c.outcomes)) < round+3; k++ {
		if c.period(); k > 200 {
			t.Fatal("nothing is decided any more")
		}
	}
	for i, l := range c.servers {
		if l.machine.round < round+2 {
			t.Errorf("server %d has %d rounds, want %d", i, l.machine.round, round+2)
		}
	}
	if got := c.outcomes[round][1]; got != 1 {
		t.Errorf("the outcome of round %d is %v, want the one that was proposed first", round, got)
	}
}

// Half of the servers decide nothing, and continue with one more.
func TestMajority(t *testing.T) {
	c := newCluster(t, 4, 2)
	c.down[0], c.down[1] = true, true
	for range 100 {
		c.period()
	}
	if len(c.outcomes) > 0 {
		t.Fatalf("two of four servers have decided %d rounds", len(c.outcomes))
	}
	c.restart(1)
	for k := 0; len(c.outcomes) < 3; k++ {
		if c.period(); k > 300 {
			t.Fatal("three of four servers decide nothing")
		}
	}
}

// With lost and late messages and killed servers, no two servers report different outcomes of a round; and
// rounds are decided after the faults.
func TestFaults(t *testing.T) {
	for seed := range uint64(12) {
		c := newCluster(t, 3+2*int(seed%2), seed)
		c.lost = 0.2
		for range 300 {
			c.period()
			switch i := c.r.IntN(len(c.servers)); {
			case c.down[i]:
				c.restart(i)
			case c.r.IntN(4) == 0:
				c.down[i] = true
			}
		}
		c.lost = 0
		for i := range c.servers {
			if c.down[i] {
				c.restart(i)
			}
		}
		before := len(c.outcomes)
		for k := 0; len(c.outcomes) < before+3; k++ {
			if c.period(); k > 300 {
				t.Fatalf("seed %d: nothing is decided when all is well again", seed)
			}
		}
	}
}

// Messages that no server of the log sends are refused by name, and the log continues.
func TestRefuses(t *testing.T) {
	c := newCluster(t, 3, 1)
	for k := 0; len(c.outcomes) < 2; k++ {
		if c.period(); k > 200 {
			t.Fatal("nothing is decided")
		}
	}
	l := c.servers[0]
	before := l.machine.round
	message := func(typ raftpb.MessageType, edit func(*raftpb.Message)) *raftpb.Message {
		m := &raftpb.Message{Type: &typ, To: new(idOf(0)), From: new(idOf(1)), Term: new(uint64(1000))}
		if edit != nil {
			edit(m)
		}
		return m
	}
	for want, m := range map[string]*raftpb.Message{
		"a message of rank 2":         message(raftpb.MsgHeartbeat, func(m *raftpb.Message) { m.From = new(idOf(2)) }),
		"of type MsgProp":             message(raftpb.MsgProp, nil),
		"of type MsgHup":              message(raftpb.MsgHup, nil),
		"of type MsgTimeoutNow":       message(raftpb.MsgTimeoutNow, nil),
		"the members of the log":      message(raftpb.MsgApp, func(m *raftpb.Message) { m.Entries = []*raftpb.Entry{{Type: raftpb.EntryConfChange.Enum()}} }),
		"a state that servers [] hol": message(raftpb.MsgSnap, nil),
		"an entry that is no outcome": message(raftpb.MsgSnap, func(m *raftpb.Message) {
			m.Snapshot = &raftpb.Snapshot{Data: []byte("x"), Metadata: &raftpb.SnapshotMetadata{Index: new(uint64(1 << 40)), Term: new(uint64(7)), ConfState: confState(3)}}
		}),
		"that cannot be": message(raftpb.MsgHeartbeat, func(m *raftpb.Message) { m.Commit = new(uint64(1 << 40)) }),
	} {
		if err := l.step(1, Batch{[]*raftpb.Message{m}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", m, err, want)
		}
	}
	for k := 0; l.machine.round < before+3; k++ {
		if c.period(); k > 300 {
			t.Fatalf("server 0 has %d rounds after all that, others %d", l.machine.round, len(c.outcomes))
		}
	}
	for _, l := range []Log{{}, {Servers: 1000}, {Servers: 3, Election: 1}, {Servers: 3, Keep: -1}} {
		if err := l.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is opened", l)
		}
	}
	if err := (&Log{Servers: 3}).Open(runtime.Env{Rank: 3}); err == nil {
		t.Error("a fourth server of three is opened")
	}
}

// Common payloads are in a batch once; a truncated state is refused.
func TestBytes(t *testing.T) {
	data := make([]byte, 1000)
	entry := &raftpb.Entry{Index: new(uint64(5)), Term: new(uint64(2)), Data: data}
	b := Batch{[]*raftpb.Message{
		{Type: raftpb.MsgApp.Enum(), To: new(uint64(2)), Entries: []*raftpb.Entry{entry}},
		{Type: raftpb.MsgApp.Enum(), To: new(uint64(3)), Entries: []*raftpb.Entry{entry}},
	}}
	bytes, err := b.AppendBinary(nil)
	if err != nil || len(bytes) > 1100 {
		t.Errorf("two messages with one entry are %d bytes (%v)", len(bytes), err)
	}
	var same Batch
	if err := same.UnmarshalBinary(bytes); err != nil || len(same.messages) != 2 || len(same.messages[1].GetEntries()[0].GetData()) != len(data) {
		t.Errorf("read as %v (%v)", same, err)
	}
	c := newCluster(t, 3, 1)
	for range 60 {
		c.period()
	}
	for n := range c.saved[0] {
		l := &Log{Servers: 3}
		if err := l.Open(runtime.Env{Class: "server"}); err != nil {
			t.Fatal(err)
		}
		if err := l.UnmarshalBinary(c.saved[0][:n]); err == nil {
			t.Fatalf("the first %d bytes of a state are accepted", n)
		}
	}
}

// FuzzBatch reads arbitrary bytes, and handles accepted messages.
func FuzzBatch(f *testing.F) {
	m := &raftpb.Message{Type: raftpb.MsgApp.Enum(), To: new(idOf(0)), From: new(idOf(1)), Term: new(uint64(3)), Index: new(uint64(1)), LogTerm: new(uint64(1)), Commit: new(uint64(2)),
		Entries: []*raftpb.Entry{{Index: new(uint64(2)), Term: new(uint64(3)), Data: appendOutcome(nil, 0, []float32{1})}}}
	b, err := (&Batch{[]*raftpb.Message{m}}).AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var batch Batch
		if batch.UnmarshalBinary(b) != nil {
			return
		}
		l := &Log{Servers: 3}
		if err := l.Open(runtime.Env{Class: "server"}); err != nil {
			t.Fatal(err)
		}
		if l.step(1, batch) == nil {
			return
		}
		if _, err := l.AppendBinary(nil); err != nil {
			t.Fatal(err)
		}
	})
}
