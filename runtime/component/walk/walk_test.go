package walk

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// counter is a trainer that counts how often it has trained a model.
type counter struct {
	trained int
	fails   bool
}

var errTrain = errors.New("no data")

func (c *counter) Train(model []float64) ([]float64, error) {
	if c.fails {
		return nil, errTrain
	}
	c.trained++
	if len(model) == 0 {
		model = []float64{0}
	}
	model[0]++
	return model, nil
}

func id(i int) wire.PeerID {
	p, _ := wire.PeerIDOf(append(make([]byte, 30), byte(i>>8), byte(i)+1))
	return p
}

// town is a set of peers with messages between them.
type town struct {
	t     *testing.T
	r     *rand.Rand
	all   []*Walk
	dead  []bool
	died  []int // when
	mail  []letter
	delay int // the maximum number of periods that a message takes
	now   int
	kills func(i int, w *Walk) bool // whether a peer dies now, which may hold the token; nil: none does
}

// letter is a message: a token, or a note if it has none.
type letter struct {
	at, from, to int
	token        *token
	note         stamp
}

// newPeer returns a peer at its start.
func newPeer(t *testing.T, r *rand.Rand, rank int) *Walk {
	w := &Walk{Patience: 8, Silence: 400, Trainer: &counter{}}
	if err := w.Open(runtime.Env{Rank: rank, Random: rand.NewChaCha8([32]byte{byte(r.Uint32()), byte(rank), byte(r.Uint32())})}); err != nil {
		t.Fatal(err)
	}
	return w
}

func newTown(t *testing.T, seed uint64, n int) *town {
	x := &town{t: t, r: rand.New(rand.NewPCG(seed, 1)), dead: make([]bool, n), died: make([]int, n), delay: 2}
	for i := range n {
		x.all = append(x.all, newPeer(t, x.r, i))
	}
	return x
}

func (x *town) send(from, to int, t *token, s stamp) {
	if t != nil {
		t = &token{t.stamp, t.from, slices.Clone(t.model)}
	}
	x.mail = append(x.mail, letter{x.now + 1 + x.r.IntN(x.delay), from, to, t, s})
}

// period lets a period pass.
func (x *town) period() {
	x.now++
	mail := x.mail
	x.mail = nil
	for _, l := range mail {
		switch {
		case x.dead[l.to]:
		case l.at > x.now:
			x.mail = append(x.mail, l)
		default:
			x.deliver(l)
		}
	}
	x.kill()
	for i, w := range x.all {
		if x.dead[i] {
			continue
		}
		if err := w.countPeriod(); err != nil && !errors.Is(err, errTrain) {
			x.t.Fatal(err)
		}
		if w.held != nil {
			if to := x.other(i); to >= 0 {
				x.send(i, to, w.pass(id(to)), stamp{})
			}
		}
	}
}

// noticed is how many periods it takes to notice that a peer has died.
const noticed = 10

// other returns a random other peer that is not known to be dead; -1 if there is none.
func (x *town) other(i int) int {
	var list []int
	for k := range x.all {
		if k != i && (!x.dead[k] || x.now < x.died[k]+noticed) {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		return -1
	}
	return list[x.r.IntN(len(list))]
}

// kill has peers die.
func (x *town) kill() {
	for i, w := range x.all {
		if x.kills != nil && !x.dead[i] && x.kills(i, w) {
			x.dead[i], x.died[i] = true, x.now
		}
	}
}

func (x *town) deliver(l letter) {
	w := x.all[l.to]
	if l.token == nil {
		w.hear(id(l.from), l.note)
		return
	}
	to, _ := w.take(id(l.to), id(l.from), l.token)
	for _, p := range to {
		for i := range x.all {
			if id(i) == p {
				x.send(l.to, i, nil, w.seen)
			}
		}
	}
}

// tokens returns how many tokens there are, with peers that live and on their way to such.
func (x *town) tokens() (n int) {
	for i, w := range x.all {
		if !x.dead[i] && w.held != nil {
			n++
		}
	}
	for _, l := range x.mail {
		if l.token != nil && !x.dead[l.to] {
			n++
		}
	}
	return n
}

// latest returns the latest stamp of a token that was at a peer that lives.
func (x *town) latest() (s stamp) {
	for i, w := range x.all {
		if !x.dead[i] && w.seen.after(s) {
			s = w.seen
		}
	}
	return s
}

// TestWalk checks that without failures there is always one token, which trains at all peers, and that no step is lost.
func TestWalk(t *testing.T) {
	x := newTown(t, 1, 20)
	for range 2000 {
		x.period()
		if n := x.tokens(); n != 1 {
			t.Fatalf("after %d periods there are %d tokens", x.now, n)
		}
	}
	total := 0
	for i, w := range x.all {
		n := w.Trainer.(*counter).trained
		if total += n; n < 20 {
			t.Errorf("the token was trained %d times at peer %d", n, i)
		}
	}
	if s := x.latest(); s.generation != 1 || s.steps != uint64(total) {
		t.Errorf("the token is of generation %d with %d steps, want 1 and %d", s.generation, s.steps, total)
	}
}

// TestDeaths kills holders of the token, sometimes with the peer that keeps its copy, starts peers again without their
// state, and delays messages, so that tokens are replaced that are still there. At the end one token is left, which walks.
func TestDeaths(t *testing.T) {
	replaced := 0
	for seed := range uint64(200) {
		x := newTown(t, seed, 12)
		x.kills = func(_ int, w *Walk) bool {
			return w.held != nil && x.r.IntN(30) == 0 || w.passed != nil && x.r.IntN(60) == 0 || x.r.IntN(400) == 0
		}
		for x.now < 600 {
			x.period()
			x.delay = 2
			if x.r.IntN(4) == 0 {
				x.delay = 30
			}
			for i := range x.all {
				if x.dead[i] && x.r.IntN(60) == 0 {
					x.all[i], x.dead[i] = newPeer(t, x.r, i), false
				}
			}
		}
		x.kills = nil
		x.delay = 2
		for range 1500 { // a silence, and the time to meet
			x.period()
		}
		before := x.latest()
		for range 200 {
			x.period()
			if n := x.tokens(); n > 1 {
				t.Fatalf("seed %d: after %d periods there are %d tokens", seed, x.now, n)
			}
		}
		after := x.latest()
		if after.generation != before.generation || after.steps < before.steps+40 {
			t.Errorf("seed %d: the token is %+v, and was %+v: want the same one with more steps", seed, after, before)
		}
		if after.generation > 2 {
			replaced++
		}
	}
	if replaced < 100 {
		t.Errorf("tokens were replaced for %d of 200 seeds", replaced)
	}
}

// TestHolderDies checks that the peer that has passed the token on replaces it, if nobody else does.
func TestHolderDies(t *testing.T) {
	for seed := range uint64(20) {
		x := newTown(t, seed, 6)
		for _, w := range x.all {
			w.Silence = 0
		}
		killed := false
		x.kills = func(_ int, w *Walk) bool {
			dies := !killed && x.now > 50 && w.held != nil
			killed = killed || dies
			return dies
		}
		for x.now < 300 {
			x.period()
		}
		if s := x.latest(); s.generation < 2 || s.steps < 100 {
			t.Errorf("seed %d: the token is %+v, want a second one that goes on", seed, s)
		}
	}
}

// TestSilence: when the token, its copy and the walk's beginning are lost together, the walk continues after Silence periods;
// without Silence it ends, and the models remain.
func TestSilence(t *testing.T) {
	for _, silence := range []int{0, 100} {
		x := newTown(t, 1, 6)
		for _, w := range x.all {
			w.Silence = silence
		}
		for x.now < 50 {
			x.period()
		}
		before := x.latest()
		for i, w := range x.all {
			x.dead[i], x.died[i] = w.held != nil || w.passed != nil, x.now
		}
		x.mail = nil
		for x.now < 500 {
			x.period()
		}
		after, lasts := x.latest(), silence > 0
		if (x.tokens() > 0) != lasts || (after.generation > before.generation) != lasts {
			t.Errorf("Silence %d: %d tokens, the latest is %+v and was %+v", silence, x.tokens(), after, before)
		}
		for i, w := range x.all {
			if len(w.model) == 0 {
				t.Errorf("Silence %d: peer %d has no model any more", silence, i)
			}
		}
	}
}

// TestReplaced checks what a peer that has heard of a later token does with an earlier one: it neither trains nor keeps
// it, and tells those that may have a copy.
func TestReplaced(t *testing.T) {
	w := newPeer(t, rand.New(rand.NewPCG(1, 1)), 1)
	early, late := &token{stamp{3, 7, 50}, id(4), []float64{1}}, stamp{4, 1, 9}
	w.observe(late)
	to, err := w.take(id(1), id(5), early)
	if err != nil || w.held != nil || w.Trainer.(*counter).trained != 0 || !slices.Equal(to, []wire.PeerID{id(5), id(4)}) || w.latest != late {
		t.Errorf("an earlier token: told %v (%v), state %+v", to, err, w)
	}
	w = newPeer(t, rand.New(rand.NewPCG(1, 1)), 1)
	if _, err := w.take(id(1), id(5), early); err != nil || w.held == nil {
		t.Fatalf("a first token is not taken: %v", err)
	}
	if w.observe(late); w.held != nil {
		t.Errorf("the holder of an earlier token keeps it: %+v", w.held)
	}
}

// TestFailingTrainer has a peer that cannot train: the token goes on without it.
func TestFailingTrainer(t *testing.T) {
	x := newTown(t, 1, 5)
	x.all[3].Trainer = &counter{fails: true}
	for range 2000 {
		x.period()
	}
	if s := x.latest(); s.generation < 2 || s.steps < 200 || x.tokens() > 1 {
		t.Errorf("the token is %+v, and there are %d: want it to be replaced, and to go on", s, x.tokens())
	}
	w := newPeer(t, x.r, 0)
	w.Trainer = &counter{fails: true}
	if err := w.countPeriod(); !errors.Is(err, errTrain) || w.held != nil {
		t.Errorf("a walk begins without training: %v", err)
	}
	w.Trainer = &counter{}
	if err := w.countPeriod(); err != nil || w.held == nil {
		t.Errorf("a walk does not begin when training works: %v", err)
	}
}

// TestState checks that a peer continues from its state. Truncated states are refused.
func TestState(t *testing.T) {
	x := newTown(t, 2, 5)
	for range 50 {
		x.period()
		for _, w := range x.all {
			state, err := w.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			other := &Walk{}
			for n := range state {
				if err := other.UnmarshalBinary(state[:n]); err == nil {
					t.Fatalf("the first %d of %d bytes are accepted", n, len(state))
				}
			}
			if err := other.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			if again, _ := other.AppendBinary(nil); !bytes.Equal(state, again) {
				t.Error("the state read is not the one written")
			}
		}
	}
}

// TestRefuses checks that invalid messages have no effect.
func TestRefuses(t *testing.T) {
	w := newPeer(t, rand.New(rand.NewPCG(1, 1)), 1)
	before, _ := w.AppendBinary(nil)
	for _, bad := range []*token{nil, {stamp: stamp{generation: 1 << 63}}, {stamp: stamp{generation: 1, steps: 1 << 63}}, {stamp: stamp{generation: 1}, model: []float64{math.NaN()}}} {
		if _, _, err := w.Receive(nil, id(1), message(bad)); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	m := message(&token{stamp: stamp{generation: 1}, model: []float64{1}}).Data
	for n := range m {
		if _, _, err := w.Receive(nil, id(1), tensor.DenseOf(m[:n], n)); err == nil {
			t.Errorf("the first %d of %d bytes of a token are accepted", n, len(m))
		}
	}
	if err := w.Answered(id(1), tensor.DenseOf([]byte{1, 2}, 2)); err == nil {
		t.Error("a truncated answer is accepted")
	}
	if after, _ := w.AppendBinary(nil); !bytes.Equal(before, after) {
		t.Error("what is refused has an effect")
	}
	if err := (&Walk{Patience: -1}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "Patience is -1") {
		t.Errorf("%v", err)
	}
	if err := (&Walk{}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "Random") {
		t.Errorf("%v", err)
	}
}
