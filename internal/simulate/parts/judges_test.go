package parts

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

const peers = 3

// node returns the worker of rank 1 of three, with a leader.
func node(t *testing.T) *runtime.Node {
	t.Helper()
	return nodeOf(t, "worker", runtime.Config{Self: mem.PeerID(1), Rank: 1})
}

// leader returns the leader of three workers.
func leader(t *testing.T) *runtime.Node {
	t.Helper()
	return nodeOf(t, "leader", runtime.Config{Self: mem.PeerID(9)})
}

func nodeOf(t *testing.T, class string, c runtime.Config) *runtime.Node {
	t.Helper()
	c.Incarnation, c.Peers = 1, []runtime.PeerConfig{{ID: mem.PeerID(9), Class: "leader"}}
	for rank := range peers {
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: mem.PeerID(rank), Class: "worker", Rank: rank})
	}
	n, err := runtime.New(c, &runtime.Partition{Class: class})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// copied gives a component the state of another one.
func copied(t *testing.T, to, from runtime.Component) {
	t.Helper()
	b, err := from.AppendBinary(nil)
	if err == nil {
		err = to.UnmarshalBinary(b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func vec(x ...float64) Vec { return tensor.DenseOf(x, len(x)) }

func open(t *testing.T, c interface{ Open(runtime.Env) error }, rank int) {
	t.Helper()
	if err := c.Open(Env(1, "worker", rank)); err != nil {
		t.Fatal(err)
	}
}

// TestJudgeMean: only an estimate of the mean of 0, 1 and 4 is agreed to, and once, even after a restart.
func TestJudgeMean(t *testing.T) {
	n, j := node(t), &Judge{Peers: peers}
	open(t, j, 1)
	if v, err := j.Value(); err != nil || v.Data[0] != 1 {
		t.Errorf("the value of rank 1 is %v, %v", v.Data, err)
	}
	for _, wrong := range []float64{0, 1, 5. / 3 * 1.01, 5./3 + 0.0011, 5./3 - 0.0011, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if to, _, err := j.Agrees(n, vec(wrong)); len(to) > 0 || err != nil {
			t.Errorf("%v is the mean: %v", wrong, err)
		}
	}
	to, x, err := j.Agrees(n, vec(5./3+0.0009))
	if err != nil || !slices.Equal(to, []wire.PeerID{mem.PeerID(9)}) || !slices.Equal(x.Data, []float64{1, peers}) {
		t.Errorf("the mean is reported as %v to %v, %v", x.Data, to, err)
	}
	again := &Judge{Peers: peers}
	copied(t, again, j)
	if to, _, _ := again.Agrees(n, vec(5./3)); len(to) > 0 {
		t.Error("it is reported twice")
	}
}

// TestJudgeWalk: a model counts only if each peer has trained it and it has an element for each.
func TestJudgeWalk(t *testing.T) {
	n, j := node(t), &Judge{Peers: peers}
	open(t, j, 1)
	model, err := j.Train(nil)
	if err != nil || !slices.Equal(model, []float64{0, 1, 0}) {
		t.Fatalf("the first model is %v, %v", model, err)
	}
	for _, wrong := range [][]float64{nil, model, {1, 1, 0}, {0, 7, 7}, {1}, {1, 1}, {1, 1, 1, 1}, {1, math.NaN(), 1}, {-1, 1, 1}} {
		if to, _, err := j.Walked(n, vec(wrong...)); len(to) > 0 || err != nil {
			t.Errorf("%v has been trained by all: %v", wrong, err)
		}
	}
	if to, _, err := j.Walked(n, vec(1, 5, 2)); len(to) != 1 || err != nil {
		t.Errorf("it is reported to %v, %v", to, err)
	}
	again := &Judge{Peers: peers}
	copied(t, again, j)
	if to, _, _ := again.Walked(n, vec(1, 1, 1)); len(to) > 0 {
		t.Error("it is reported twice")
	}
}

// TestFinder: another value, and other peers than all but the own one in their order, are errors; what is not yet found is not.
func TestFinder(t *testing.T) {
	n, f := node(t), &Finder{Peers: peers}
	open(t, f, 1)
	key, value, _ := f.Put()
	want, _ := f.Want()
	next := &Finder{Peers: peers}
	open(t, next, 2)
	key2, value2, _ := next.Put()
	if !slices.Equal(want.Data, key2.Data) || slices.Equal(key.Data, key2.Data) {
		t.Fatal("the wanted key is not that of the next peer")
	}
	near := []wire.PeerID{mem.PeerID(0), mem.PeerID(2)}
	first, second := near[0].Key(), near[1].Key()
	for i := range first { // by hand: the smaller exclusive or comes first
		if a, b := first[i]^key2.Data[i], second[i]^key2.Data[i]; a != b {
			if a > b {
				slices.Reverse(near)
			}
			break
		}
	}
	self := mem.PeerID(1)
	for name, c := range map[string]struct {
		value Bytes
		near  []wire.PeerID
		fails bool
	}{
		"the own value":       {value, near, true},
		"a part of the value": {Bytes{Shape: []int{3}, Data: value2.Data[:3]}, near, true},
		"another order":       {value2, []wire.PeerID{near[1], near[0]}, true},
		"the peer itself":     {value2, []wire.PeerID{near[0], self}, true},
		"one too many":        {value2, append(slices.Clone(near), self), true},
		"one twice":           {value2, append(slices.Clone(near), near[1]), true},
		"no value yet":        {Bytes{}, near, false},
		"one peer yet":        {value2, near[:1], false},
		"nothing yet":         {Bytes{}, nil, false},
	} {
		to, _, err := f.Found(n, c.value, c.near)
		if len(to) > 0 || (err != nil) != c.fails {
			t.Errorf("%s: reported to %v, %v", name, to, err)
		}
	}
	if to, _, err := f.Found(n, value2, near); len(to) != 1 || err != nil {
		t.Errorf("it is reported to %v, %v", to, err)
	}
	again := &Finder{Peers: peers}
	open(t, again, 1)
	copied(t, again, f)
	if to, _, err := again.Found(n, value2, near); len(to) > 0 || err != nil {
		t.Errorf("it is reported twice, to %v, %v", to, err)
	}
}

// TestLedger: each wrong report is an error, before the others or after them, and the right ones are none in any order.
func TestLedger(t *testing.T) {
	good := [][3]float64{{0, 1, 2}, {1, 2, 9}, {2, 3, 36}, {3, 4, 144}, {4, 5, 578}, {5, 6, 2313}}
	for name, wrong := range map[string][3]float64{
		"a round that is none":        {Logged, Logged + 1, 0},
		"a round before the first":    {-1, 0, 0},
		"no number":                   {math.NaN(), 1, 2},
		"the count of another round":  {1, 3, 9},
		"a count that is no number":   {1, math.NaN(), 9},
		"another outcome":             {2, 3, 37},
		"an outcome of no leader":     {2, 3, 39},
		"an outcome that is less":     {2, 3, 35},
		"an outcome that is a no one": {2, 3, math.NaN()},
		"a lost outcome":              {3, 4, 130},
	} {
		for _, reports := range [][][3]float64{append(slices.Clone(good), wrong), append([][3]float64{wrong}, good...)} {
			l := &Ledger{Peers: peers}
			var err error
			for _, r := range reports {
				if err == nil {
					err = l.Note(vec(r[:]...))
				}
				next := &Ledger{Peers: peers}
				copied(t, next, l)
				l = next
			}
			if err == nil {
				t.Errorf("%s is accepted: %v", name, reports)
			}
		}
	}
	l := &Ledger{Peers: peers}
	for _, i := range []int{5, 0, 2, 2, 1, 4, 3, 0, 5} {
		if err := l.Note(vec(good[i][:]...)); err != nil {
			t.Errorf("round %d: %v", i, err)
		}
	}
}

// TestLedgerLeaders: an outcome is four times the one before plus the rank of one of the peers.
func TestLedgerLeaders(t *testing.T) {
	for leader, fails := range map[float64]bool{-1: true, 0: false, peers - 1: false, peers: true, math.NaN(): true} {
		l := &Ledger{Peers: peers}
		if err := l.Note(vec(0, 1, 2)); err != nil {
			t.Fatal(err)
		}
		if err := l.Note(vec(1, 2, 4*2+leader)); (err != nil) != fails {
			t.Errorf("leader %v: %v", leader, err)
		}
	}
}

// TestVoter: what a voter reports of rounds is what the ledger wants.
func TestVoter(t *testing.T) {
	n, l, x := node(t), &Ledger{Peers: peers}, tensor.DenseOf([]float32{0, 0}, 2)
	for round := range int64(Logged) {
		v := &Voter{}
		open(t, v, int(round)%peers)
		x, _ = v.Outcome(x)
		to, report, last, rank, err := v.Decided(n, round, x)
		if err != nil || len(to) != 1 || (len(last) == 1) != (round == Logged-1) || rank.Data[0] != float64(round%peers) {
			t.Errorf("round %d is reported to %v, %v as of %v, %v", round, to, last, rank.Data, err)
		}
		if err := l.Note(report); err != nil {
			t.Error(err)
		}
	}
}

// TestLiar: what the liar tells of a sum lists one peer less, or one more that does not exist, and the rest is honest.
func TestLiar(t *testing.T) {
	const key = 8
	sum := []int32{7, 7} // of the vectors, then the keys of two peers and their number
	for i := range int32(2 * key) {
		sum = append(sum, i+1)
	}
	sum = append(sum, 2)
	survivors := func(l interface {
		Survivors(context.Context, tensor.Dense[int32]) (tensor.Dense[uint8], error)
	}) string {
		x := slices.Clone(sum)
		b, err := l.Survivors(t.Context(), tensor.DenseOf(x, len(x)))
		if err != nil || !slices.Equal(x, sum) {
			t.Fatalf("the sum is %v, %v", x, err)
		}
		return string(b.Data)
	}
	const head, size = 8, 40 // the number of peers; each one's key, and the empty message behind it
	honest := survivors(Liar{}.Server)
	one, more := survivors(Liar{}), survivors(Liar{Stranger: true})
	if len(honest) != head+2*size || one[0] != 1 || one[head:] != honest[head:][:size] {
		t.Errorf("the liar leaves out another than the last one: %x of %x", one, honest)
	}
	stranger := strings.Repeat("\xff", 32) + strings.Repeat("\x00", size-32)
	if more[0] != 3 || more[head:] != honest[head:]+stranger {
		t.Errorf("the liar makes %x of %x", more, honest)
	}
}
