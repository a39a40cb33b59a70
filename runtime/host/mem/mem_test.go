package mem_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var (
	seeds    = flag.Int("seeds", 600, "how many seeds TestSeeds plays")
	oneSeed  = flag.Uint64("seed", 0, "the one seed that TestSeeds plays, with its steps")
	faultEnd = int64(500e6) // all faults have ended by then
	deadline = int64(60e9)  // and every round by then
)

// scenario is a program on some peers, and its expected result.
type scenario struct {
	name  string
	peers []func() *runtime.Partition
	start func(i int, n *runtime.Node) error // invokes modules, if any
	want  []string                           // the expected outputs, in any order, each at least once
	exact []int                              // peers whose Trainer must have made this many steps at the end
	steps []*handmade.Trainer
	first int // the peer with rank 0, as all before it
}

// newScenario draws a program from its seed.
func newScenario(r *rand.Rand) *scenario {
	switch r.IntN(3) {
	case 0:
		return pingPong(1 + r.IntN(6))
	case 1:
		return pipeline(1 + r.IntN(8))
	}
	return rounds(1+r.IntN(4), 1+r.IntN(4), r.IntN(3) == 0)
}

func vector(x []float64) *tensor.Tensor { return tensor.Of(x, len(x)) }

func pingPong(rounds int) *scenario {
	s := &scenario{name: fmt.Sprintf("%d rounds of ping pong", rounds),
		peers: []func() *runtime.Partition{func() *runtime.Partition { return handmade.Ping(rounds) }, handmade.Pong}}
	s.start = func(i int, n *runtime.Node) error {
		if i != 0 {
			return nil
		}
		_, err := n.Invoke(n.Now(), "ping", vector([]float64{1, 2}))
		return err
	}
	for i := range rounds {
		s.want = append(s.want, fmt.Sprint([]float64{float64(2 + i), float64(3 + i)}))
	}
	return s
}

func pipeline(values int) *scenario {
	s := &scenario{name: fmt.Sprintf("%d values in a pipeline", values)}
	for i := range 3 {
		s.peers = append(s.peers, func() *runtime.Partition { return handmade.Stage(i) })
	}
	s.start = func(i int, n *runtime.Node) error {
		for v := range values {
			if i != 0 {
				break
			}
			if _, err := n.Invoke(n.Now(), "first", vector([]float64{float64(v), 1})); err != nil {
				return err
			}
		}
		return nil
	}
	for v := range values {
		s.want = append(s.want, fmt.Sprint(handmade.Pipeline([]float64{float64(v), 1})))
	}
	return s
}

// rounds returns rounds of a server and some clients; if joined is set, the first client and the server are one
// peer.
func rounds(rounds, clients int, joined bool) *scenario {
	s := &scenario{name: fmt.Sprintf("%d rounds of %d clients, joined: %v", rounds, clients, joined), steps: make([]*handmade.Trainer, clients), first: 1}
	server := func() *runtime.Partition { return handmade.Server(rounds, clients, deadline) }
	s.peers = append(s.peers, server)
	for c := range clients {
		s.peers = append(s.peers, func() *runtime.Partition {
			s.steps[c] = &handmade.Trainer{Rank: c}
			return handmade.Client(s.steps[c])
		})
		s.exact = append(s.exact, rounds)
	}
	if joined {
		client := s.peers[1]
		s.first, s.peers = 0, s.peers[1:]
		s.peers[0] = func() *runtime.Partition {
			p, err := runtime.Join(server(), client())
			if err != nil {
				panic(err)
			}
			return p
		}
	}
	params := []float64{8, -3}
	s.start = func(i int, n *runtime.Node) error {
		if i != 0 {
			return nil
		}
		_, err := n.Invoke(n.Now(), "server", vector(params))
		return err
	}
	for r := range rounds {
		s.want = append(s.want, fmt.Sprint(handmade.Rounds(params, r+1, clients)))
	}
	return s
}

// play runs a seed with some faults and returns the hash of its steps.
func play(seed uint64, faults []mem.Fault, log func(string)) (hash uint64, steps int, err error) {
	r := rand.New(rand.NewPCG(seed, 1))
	s := newScenario(r)
	c := mem.Config{Seed: seed, Delay: 1 + r.Int64N(5e6), Jitter: r.Int64N(20e6), Loss: r.Float64() * 0.2, Duplicate: r.Float64() * 0.2,
		Corrupt: r.Float64() * 0.02, Skew: r.Int64N(100000), Command: r.Int64N(50e6), Persist: r.Int64N(10e6), ByteTime: r.Int64N(1e6), Heal: faultEnd, Faults: faults}
	w := mem.New(c)
	got := map[string]bool{}
	w.Told = func(i int, e runtime.Event) {
		switch e.Kind {
		case runtime.Emitted:
			got[fmt.Sprint(e.Value.(*tensor.Tensor).Data)] = true
		case runtime.Failed, runtime.Overflow, runtime.Missing:
			err = fmt.Errorf("node %d: %v %s %v", i, e.Kind, e.Name, e.Err)
		}
	}
	w.Started = func(i int, n *runtime.Node) {
		if e := s.start(i, n); e != nil {
			err = e
		}
	}
	limits := limits.Default()
	if r.IntN(2) == 0 {
		limits.Wire.Chunk = 1 + r.IntN(16) // small payloads are bulk, too
	}
	for i, p := range s.peers {
		pc := runtime.Config{Rank: max(i-s.first, 0), Seed: seed, Durable: true, Limits: limits}
		if log != nil {
			pc.Trace = func(st runtime.Step) {
				log(fmt.Sprintf("%12d node %d %s.%s of %d", w.Now(), i, st.Module, st.Block, st.Exec.Number))
			}
		}
		w.Add(pc, p)
	}
	// Done requires not only all values: all messages are acknowledged, and no execution is left.
	done, runErr := w.Run(deadline, func() bool {
		if err != nil {
			return true
		}
		if w.Now() < faultEnd || len(got) < len(s.want) {
			return false
		}
		for i := range s.peers {
			if n := w.Node(i); n == nil || n.Stats().Live+n.Stats().Outbound > 0 {
				return false
			}
		}
		return true
	})
	switch {
	case runErr != nil:
		err = runErr
	case err == nil:
		err = s.check(got, done)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", s.name, err)
	}
	return w.Hash(), w.Steps, err
}

// check compares with the plain computation.
func (s *scenario) check(got map[string]bool, done bool) error {
	var problems []string
	for _, x := range s.want {
		if !got[x] {
			problems = append(problems, "missing "+x)
		}
		delete(got, x)
	}
	for x := range got {
		problems = append(problems, "wrong "+x)
	}
	slices.Sort(problems)
	for c, n := range s.exact {
		if s.steps[c].Steps != n {
			problems = append(problems, fmt.Sprintf("client %d trained %d times, want %d", c, s.steps[c].Steps, n))
		}
	}
	if !done && len(problems) == 0 {
		problems = append(problems, "it does not come to rest")
	}
	if len(problems) > 0 {
		problems = problems[:min(len(problems), 8)]
		return fmt.Errorf("%s", strings.Join(problems, ", "))
	}
	return nil
}

func faultsOf(seed uint64) []mem.Fault {
	return mem.Faults(rand.New(rand.NewPCG(seed, 2)), 8, 5, faultEnd)
}

// TestSeeds runs random programs under random faults: the result is that of the plain computation, no step is
// trained twice, every round ends after the faults, and the same seed gives the same steps.
func TestSeeds(t *testing.T) {
	first, count := uint64(1), *seeds
	if testing.Short() {
		count /= 10
	}
	var log func(string)
	if *oneSeed != 0 {
		first, count, log = *oneSeed, 1, func(line string) { t.Log(line) }
	}
	steps := 0
	for seed := first; seed < first+uint64(count); seed++ {
		faults := faultsOf(seed)
		hash, n, err := play(seed, faults, log)
		steps += n
		if err != nil {
			few := mem.Shrink(faults, func(f []mem.Fault) bool {
				_, _, err := play(seed, f, nil)
				return err != nil
			})
			_, _, shrunk := play(seed, few, nil)
			t.Fatalf("seed %d (go test -run TestSeeds -seed %d): %v\nit takes %v: %v", seed, seed, err, few, shrunk)
		}
		if seed%10 == 0 {
			if again, _, _ := play(seed, faults, nil); again != hash {
				t.Fatalf("seed %d: another hash the second time", seed)
			}
		}
	}
	t.Logf("%d seeds, %d blocks", count, steps)
}

// TestStops: a peer that stops and starts again misses no round of another peer's loop. What comes while it stops is left to
// its next incarnation. The first peer, whose loop it is, does not stop: a loop ends with the peer that runs it.
func TestStops(t *testing.T) {
	count := uint64(*seeds / 2)
	if testing.Short() {
		count /= 10
	}
	for seed := uint64(1); seed <= count; seed++ {
		others := len(newScenario(rand.New(rand.NewPCG(seed, 1))).peers) - 1
		if others == 0 {
			continue
		}
		faults := mem.DrawFaults(rand.New(rand.NewPCG(seed, 2)), 4, others, faultEnd, mem.Stop)
		for i := range faults {
			faults[i].Node++
		}
		if _, _, err := play(seed, faults, nil); err != nil {
			t.Errorf("seed %d, %v: %v", seed, faults, err)
		}
	}
}

func TestShrink(t *testing.T) {
	all := mem.Faults(rand.New(rand.NewPCG(3, 3)), 1000, 5, faultEnd)
	needs := func(f []mem.Fault) bool {
		var crash, cut bool
		for _, x := range f {
			crash = crash || x.Kind == mem.Crash && x.Node == 2
			cut = cut || x.Kind == mem.Cut && x.For >= 1e8
		}
		return crash && cut
	}
	if !needs(all) {
		t.Fatal("the seed does not fail")
	}
	few := mem.Shrink(all, needs)
	if len(few) != 2 || !needs(few) || few[0].For+few[1].For > 3e8 {
		t.Errorf("got %v", few)
	}
}

// Another seed is another run.
func TestHashDiffers(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(50) {
		hash, _, err := play(seed+1, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen[hash] = true
	}
	if len(seen) != 50 {
		t.Errorf("50 seeds give %d hashes", len(seen))
	}
}

// BenchmarkStar is a server and 1000 clients that know only the server, 10 rounds of a tiny model.
func BenchmarkStar(b *testing.B) {
	const clients, rounds = 1000, 10
	for b.Loop() {
		w := mem.New(mem.Config{Seed: 1, Delay: 1e6, Jitter: 1e6, Command: 1e6})
		w.Started = func(i int, n *runtime.Node) {
			if i == 0 {
				if _, err := n.Invoke(n.Now(), "server", vector(make([]float64, 10))); err != nil {
					b.Fatal(err)
				}
			}
		}
		w.Add(runtime.Config{}, func() *runtime.Partition { return handmade.Server(rounds, clients, deadline) })
		know := []runtime.PeerConfig{{ID: mem.PeerID(0), Class: "server"}}
		for c := range clients {
			w.Add(runtime.Config{Rank: c, Peers: know}, func() *runtime.Partition { return handmade.Client(&handmade.Trainer{Rank: c}) })
		}
		models := 0
		w.Told = func(_ int, e runtime.Event) {
			if e.Kind == runtime.Emitted {
				models++
			}
		}
		if done, err := w.Run(deadline, func() bool { return models == rounds }); !done || err != nil {
			b.Fatalf("%d of %d rounds: %v", models, rounds, err)
		}
	}
}

// Rounds whose messages take longer than the initial waiting time need no deadline: each has all contributions.
func TestSlowRounds(t *testing.T) {
	const rounds, clients = 4, 3
	w := mem.New(mem.Config{Seed: 1, Delay: 50e9, Jitter: 20e9})
	w.Add(runtime.Config{}, func() *runtime.Partition { return handmade.Server(rounds, 0, 0) })
	for c := range clients {
		w.Add(runtime.Config{Rank: c}, func() *runtime.Partition { return handmade.Client(&handmade.Trainer{Rank: c}) })
	}
	w.Started = func(i int, n *runtime.Node) {
		if i == 0 {
			if _, err := n.Invoke(n.Now(), "server", vector([]float64{1})); err != nil {
				t.Error(err)
			}
		}
	}
	var got []string
	w.Told = func(_ int, e runtime.Event) {
		switch e.Kind {
		case runtime.Failed:
			t.Error(e.Err)
		case runtime.Emitted:
			got = append(got, fmt.Sprint(e.Value.(*tensor.Tensor).Data))
		}
	}
	if _, err := w.Run(3600e9, func() bool { return len(got) == rounds }); err != nil {
		t.Fatal(err)
	}
	for r, x := range got {
		if want := fmt.Sprint(handmade.Rounds([]float64{1}, r+1, clients)); x != want {
			t.Errorf("round %d: %s, want %s", r, x, want)
		}
	}
	if len(got) < rounds {
		t.Errorf("%d of %d rounds by %d", len(got), rounds, w.Now())
	}
}

// A quorum that exceeds the number of peers fails the round at once, with an error.
func TestQuorumBeyondPeers(t *testing.T) {
	w := mem.New(mem.Config{Seed: 1, Delay: 1e6})
	w.Add(runtime.Config{}, func() *runtime.Partition { return handmade.Server(1, 3, 1e9) })
	for c := range 2 {
		w.Add(runtime.Config{Rank: c}, func() *runtime.Partition { return handmade.Client(&handmade.Trainer{Rank: c}) })
	}
	w.Started = func(i int, n *runtime.Node) {
		if i == 0 {
			if _, err := n.Invoke(n.Now(), "server", vector([]float64{1})); err != nil {
				t.Error(err)
			}
		}
	}
	var failed error
	w.Told = func(_ int, e runtime.Event) {
		if e.Kind == runtime.Failed {
			failed = e.Err
		}
	}
	if _, err := w.Run(5e9, func() bool { return failed != nil }); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(failed, runtime.ErrQuorum) || w.Now() > 0 {
		t.Errorf("at %d: %v, want %v at once", w.Now(), failed, runtime.ErrQuorum)
	}
}
