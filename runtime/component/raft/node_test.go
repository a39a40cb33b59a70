package raft

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
	"go.etcd.io/raft/v3/raftpb"
)

func id(rank int) wire.PeerID {
	p, err := wire.PeerIDOf(bytes.Repeat([]byte{byte(rank + 1)}, 32))
	if err != nil {
		panic(err)
	}
	return p
}

// servers are nodes with their logs, and a client that is none of them.
type servers struct {
	t     *testing.T
	nodes []*runtime.Node
	logs  []*Log
}

const client = 9 // its rank

func newServers(t *testing.T, n int) *servers {
	t.Helper()
	s := &servers{t: t}
	for rank := range n {
		c := runtime.Config{Self: id(rank), Incarnation: 1, Rank: rank, Seed: uint64(rank)}
		for other := range n {
			if other != rank {
				c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(other), Class: "server", Rank: other})
			}
		}
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(client), Class: "client", Rank: client})
		node, err := runtime.New(c, &runtime.Partition{Class: "server"})
		if err != nil {
			t.Fatal(err)
		}
		l := &Log{Servers: n}
		if err := l.Open(runtime.Env{Class: "server", Rank: rank}); err != nil {
			t.Fatal(err)
		}
		s.nodes, s.logs = append(s.nodes, node), append(s.logs, l)
	}
	return s
}

// send delivers a batch to its receivers, whose answers go back, until nobody answers.
func (s *servers) send(from int, to []wire.PeerID, b Batch) {
	s.t.Helper()
	for _, p := range to {
		i := slices.IndexFunc(s.nodes, func(n *runtime.Node) bool { return n.Self() == p })
		back, answers, err := s.logs[i].Receive(s.nodes[i], s.nodes[from].Self(), b)
		if err != nil {
			s.t.Fatal(err)
		}
		if slices.Contains(back, s.nodes[from].Self()) {
			if err := s.logs[from].Answered(s.nodes[from], p, answers); err != nil {
				s.t.Fatal(err)
			}
		}
		s.send(i, slices.DeleteFunc(back, func(q wire.PeerID) bool { return q == s.nodes[from].Self() }), answers)
	}
}

// elect runs periods until a server leads, and returns its rank.
func (s *servers) elect() int {
	s.t.Helper()
	for range 100 {
		s.period()
		if k := slices.IndexFunc(s.logs, (*Log).isLeader); k >= 0 {
			s.period()
			return k
		}
	}
	s.t.Fatal("nobody is elected in 100 periods")
	return -1
}

func (s *servers) period() {
	s.t.Helper()
	for i, l := range s.logs {
		to, b, err := l.Tick(s.nodes[i])
		if err != nil {
			s.t.Fatal(err)
		}
		s.send(i, to, b)
	}
}

// A program's view of the log: one server leads and knows it, the round is begun once, and all servers report its outcome
// once.
func TestRoundOfAProgram(t *testing.T) {
	s := newServers(t, 3)
	leader := s.elect()
	for i, l := range s.logs {
		if k, err := l.Leader(); err != nil || k != int64(leader) {
			t.Errorf("server %d takes %d for the leader (%v), want %d", i, k, err, leader)
		}
		if to, _, _ := l.Turn(s.nodes[i], 1); to != nil {
			t.Errorf("server %d begins a round without an initial value", i)
		}
		for _, first := range [][]float32{{1, 2}, {7, 7}} { // the first one counts
			if err := l.First(tensor.DenseOf(first, 2)); err != nil {
				t.Fatal(err)
			}
		}
	}
	l, n := s.logs[leader], s.nodes[leader]
	if to, _, _ := l.Turn(n, 0); to != nil {
		t.Error("a round begins after the last one")
	}
	to, round, err := l.Turn(n, 1)
	if err != nil || round != 0 || !slices.Equal(to, []wire.PeerID{n.Self()}) {
		t.Fatalf("the turn is of %v in round %d (%v), want the leader's in round 0", to, round, err)
	}
	if to, _, _ := l.Turn(n, 1); to != nil {
		t.Error("a round begins twice")
	}
	x, err := l.Begin(0)
	if err != nil || !slices.Equal(x.Data, []float32{1, 2}) {
		t.Fatalf("round 0 begins with %v (%v), want 1 and 2", x.Data, err)
	}
	if err := l.Propose(0, tensor.DenseOf([]float32{3, 4}, 2)); err != nil {
		t.Fatal(err)
	}
	s.period()
	s.period()
	for i, l := range s.logs {
		to, round, err := l.Decided(s.nodes[i])
		if err != nil || round != 0 || len(to) != 1 || to[0] != s.nodes[i].Self() {
			t.Errorf("server %d is told of round %d at %v (%v), want round 0", i, round, to, err)
		}
		if to, _, _ := l.Decided(s.nodes[i]); to != nil {
			t.Errorf("server %d is told twice", i)
		}
		if x, err := l.Outcome(0); err != nil || !slices.Equal(x.Data, []float32{3, 4}) {
			t.Errorf("the outcome at server %d is %v (%v), want 3 and 4", i, x.Data, err)
		}
	}
}

// Calls for another round than the open one are refused, and so are outcomes of another size. A follower proposes nothing.
func TestWrongRounds(t *testing.T) {
	s := newServers(t, 3)
	leader := s.elect()
	for _, l := range s.logs {
		if err := l.First(tensor.DenseOf([]float32{1}, 1)); err != nil {
			t.Fatal(err)
		}
	}
	l := s.logs[leader]
	_, begin := l.Begin(1)
	_, outcome := l.Outcome(0)
	size := l.Propose(0, tensor.DenseOf([]float32{1, 2}, 2))
	for want, err := range map[string]error{
		"round 1 begins, and 0 are decided":                   begin,
		"the outcome of round 0 is wanted, and 0 are decided": outcome,
		"an outcome of 2 elements, want 1":                    size,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	follower := s.logs[(leader+1)%3]
	if err := follower.Propose(0, tensor.DenseOf([]float32{9}, 1)); err != nil {
		t.Error(err)
	}
	s.period()
	if follower.machine.round != 0 || l.machine.round != 0 {
		t.Error("the proposal of a follower was decided")
	}
}

// A round that has failed is repeated, after as many periods as an election takes.
func TestAgain(t *testing.T) {
	s := newServers(t, 1)
	s.elect()
	l, n := s.logs[0], s.nodes[0]
	if err := l.First(tensor.DenseOf([]float32{1}, 1)); err != nil {
		t.Fatal(err)
	}
	if to, _, _ := l.Turn(n, 1); to == nil {
		t.Fatal("the only server has no turn")
	}
	if err := l.Again(); err != nil {
		t.Fatal(err)
	}
	waited := 0
	for ; waited < 100; waited++ {
		if to, round, _ := l.Turn(n, 1); to != nil && round == 0 {
			break
		}
		s.period()
	}
	if waited != defaultElection {
		t.Errorf("the round is repeated after %d periods, want %d", waited, defaultElection)
	}
}

// Messages of a peer that is no server are refused by name.
func TestStranger(t *testing.T) {
	s := newServers(t, 3)
	for _, p := range []wire.PeerID{id(client), id(77)} {
		_, _, err := s.logs[0].Receive(s.nodes[0], p, Batch{})
		if err == nil || !strings.HasPrefix(err.Error(), p.String()+" has rank ") {
			t.Errorf("%v, want that %v is refused", err, p)
		}
		if err := s.logs[0].Answered(s.nodes[0], p, Batch{}); err == nil {
			t.Errorf("answers of %v are taken", p)
		}
	}
}

// A refused state leaves a log as it was.
func TestRefusedState(t *testing.T) {
	c := newCluster(t, 3, 1)
	for k := 0; len(c.outcomes) < 3; k++ {
		if c.period(); k > 200 {
			t.Fatal("nothing is decided")
		}
	}
	l := c.servers[0]
	before, err := l.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	state := func(n int64, parts ...string) []byte {
		b := values.AppendDense(nil, tensor.DenseOf([]float32{5}, 1))
		for _, x := range []int64{3, 3, 3, n} {
			b = values.AppendScalar(b, x)
		}
		for _, p := range parts {
			b = values.AppendDense(b, tensor.DenseOf([]uint8(p), len(p)))
		}
		return b
	}
	for want, b := range map[string][]byte{
		"the state ends early":                   state(math.MaxInt64),
		"part 0 of a log cannot be read":         state(2, "x", ""),
		"an entry that is no outcome of a round": state(2, "", ""),
		"13 bytes of state are left over":        append(state(0), make([]byte, 13)...),
	} {
		if err := l.UnmarshalBinary(b); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if after, _ := l.AppendBinary(nil); !bytes.Equal(after, before) {
		t.Error("a refused state changes the log")
	}
}

// TestHostileBatch: bytes that are no batch are refused.
func TestHostileBatch(t *testing.T) {
	typ := raftpb.MsgApp
	good, err := (&Batch{[]*raftpb.Message{{Type: &typ, Entries: []*raftpb.Entry{{Data: []byte("data")}}}}}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"nothing":                     nil,
		"more payloads than bytes":    {200},
		"a payload that is too long":  {1, 9, 0},
		"bytes behind it":             append(slices.Clone(good), 0),
		"a payload that is not there": append([]byte{0}, good[6:]...),
		"no message":                  {0, 1, 1, 0xff},
		"an endless number":           bytes.Repeat([]byte{0x80}, 20),
		"only payloads":               good[:6],
	} {
		var read Batch
		if err := read.UnmarshalBinary(b); err == nil || !strings.HasPrefix(err.Error(), errBatch.Error()) || read.messages != nil {
			t.Errorf("%s: %v, %d messages, want %v", name, err, len(read.messages), errBatch)
		}
	}
	if n := Size(1000); len(good) > n || n < 16*4000 {
		t.Errorf("a batch of outcomes of 1000 elements has %d bytes at most", n)
	}
}

// A queue that nobody empties keeps the last messages.
func TestFullOutbox(t *testing.T) {
	var o outbox
	for i := range uint64(maxOut + 10) {
		o.add([]*raftpb.Message{{Index: new(i)}})
	}
	if len(o.list) != maxOut || o.list[0].GetIndex() != 10 {
		t.Errorf("%d messages from %d, want %d from 10", len(o.list), o.list[0].GetIndex(), maxOut)
	}
}
