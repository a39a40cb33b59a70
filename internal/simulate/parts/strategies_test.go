package parts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// opened opens a component that wants to be.
func opened[C runtime.Component](t *testing.T, c C) C {
	t.Helper()
	if o, ok := any(c).(interface{ Open(runtime.Env) error }); ok {
		open(t, o, 1)
	}
	return c
}

// drawn returns a vector of two elements in [-8, 8).
func drawn(r *rand.Rand) Model {
	return tensor.DenseOf([]float32{float32(r.IntN(4096))/256 - 8, float32(r.IntN(4096))/256 - 8}, 2)
}

// TestStrategiesRestored: after a restart from a snapshot, each strategy continues as it would have without. A snapshot that was
// cut does not panic.
func TestStrategiesRestored(t *testing.T) {
	for i, s := range Strategies() {
		t.Run(strings.TrimPrefix(fmt.Sprintf("%T", s), "*parts."), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(i)))
			s := opened(t, s)
			for step := range 12 {
				other := opened(t, Strategies()[i])
				copied(t, other, s)
				a, b := drawn(r), drawn(r)
				want, err1 := s.Step(a.Clone(), b.Clone())
				want = want.Clone()
				got, err2 := other.Step(a.Clone(), b.Clone())
				if err1 != nil || err2 != nil {
					t.Fatalf("step %d: %v, and after a restart %v", step, err1, err2)
				}
				if !slices.Equal(got.Data, want.Data) || !slices.Equal(got.Shape, want.Shape) {
					t.Fatalf("step %d: %v after a restart, want %v", step, got, want)
				}
			}
			state, err := s.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			for n := range state {
				_ = opened(t, Strategies()[i]).UnmarshalBinary(state[:n])
			}
		})
	}
}

// TestRulesIgnoreOrder: the result of each rule is the same for all orders of the contributions, after a restart, too.
func TestRulesIgnoreOrder(t *testing.T) {
	orders := [][Many]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for i, rule := range Rules() {
		r := rand.New(rand.NewPCG(4, uint64(i)))
		var x [Many]Model
		for k := range x {
			x[k] = drawn(r)
		}
		var want Model
		for k, order := range orders {
			c := opened(t, Rules()[i])
			for _, from := range order {
				if err := c.Contribute(t.Context(), mem.PeerID(from), values.LargeOf(x[from].Clone()), 1); err != nil {
					t.Fatalf("%T: %v", rule, err)
				}
			}
			got, err := c.Aggregate(t.Context())
			if err != nil {
				t.Fatalf("%T: %v", rule, err)
			}
			if k == 0 {
				want = got.Clone()
			} else if !slices.Equal(got.Data, want.Data) {
				t.Errorf("%T: %v in the order %v, want %v", rule, got.Data, order, want.Data)
			}
		}
		c := opened(t, Rules()[i])
		if err := c.Contribute(t.Context(), mem.PeerID(0), values.LargeOf(x[0]), 1); err != nil {
			t.Errorf("%T: %v", rule, err)
		}
		if _, err := c.Aggregate(t.Context()); (err != nil) != IsMany(rule) {
			t.Errorf("%T: of one contribution: %v, and it needs many: %v", rule, err, IsMany(rule))
		}
	}
}

// component is a component that must be opened.
type component interface {
	runtime.Component
	Open(runtime.Env) error
}

// TestCallsCount: after a call that was repeated or lost, all later results of components that count are others, as are those of
// other ranks and those of contributions in another order.
func TestCallsCount(t *testing.T) {
	for name, step := range map[string]func() (func(Vec) (Vec, error), component){
		"Counter": func() (func(Vec) (Vec, error), component) {
			c := &Counter{}
			return c.Step, c
		},
		"Worker": func() (func(Vec) (Vec, error), component) {
			c := &Worker{}
			return func(x Vec) (Vec, error) { return c.Work(t.Context(), x) }, c
		},
	} {
		once, c := step()
		twice, d := step()
		open(t, c, 1)
		open(t, d, 1)
		if _, err := twice(vec(1)); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			x, _ := once(vec(2))
			y, _ := twice(vec(2))
			if x.Data[0] == y.Data[0] {
				t.Errorf("%s: call %d does not tell that there was another", name, i)
			}
			again, e := step()
			open(t, e, 1)
			copied(t, e, c)
			next, _ := again(vec(2))
			if next.Data[0] == x.Data[0] {
				t.Errorf("%s: a restart forgets call %d", name, i)
			}
		}
	}
	mixed := func(x ...float64) float64 {
		var m Mixer
		for _, v := range x {
			if err := m.Contribute(mem.PeerID(0), vec(v), 1); err != nil {
				t.Fatal(err)
			}
		}
		y, err := m.Aggregate()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Aggregate(); err == nil {
			t.Error("an aggregate without contributions")
		}
		return y.Data[0]
	}
	if a, b := mixed(8, 4), mixed(4, 8); a != 4 || b != 5 {
		t.Errorf("8 and 4 are %v, 4 and 8 are %v, want 4 and 5", a, b)
	}
}

// steps calls a strategy until it fails.
func steps(s Strategy, n int) error {
	r := rand.New(rand.NewPCG(5, 6))
	for range n {
		if _, err := s.Step(drawn(r), drawn(r)); err != nil {
			return err
		}
	}
	return nil
}

// TestReadersNotice: a batch that another one reads, or that comes again, is noticed.
func TestReadersNotice(t *testing.T) {
	for name, spoil := range map[string]func(s *Streamed, h *Share) error{
		"nothing": func(*Streamed, *Share) error { return nil },
		"a lost batch": func(s *Streamed, h *Share) error {
			_, _, err := s.NextBatch()
			h.seen |= 1<<examples - 1
			return err
		},
		"a repeated batch": func(s *Streamed, h *Share) error {
			s.read += batch
			h.seen |= 1<<examples - 1
			return nil
		},
		"another's batch": func(s *Streamed, h *Share) error {
			s.read--
			h.rank++
			return nil
		},
	} {
		s, h := opened(t, NewStreamed()), opened(t, NewShare())
		if err := steps(s, 4); err != nil {
			t.Fatal(err)
		}
		if err := steps(h, 4); err != nil {
			t.Fatal(err)
		}
		if err := spoil(s, h); err != nil {
			t.Fatal(err)
		}
		one, other := steps(s, 1), steps(h, 1)
		if want := name != "nothing"; (one != nil) != want || (other != nil) != want {
			t.Errorf("%s: the stream's reader says %v, the share's %v", name, one, other)
		}
	}
}

// TestSearchedNotices: an index that lacks a vector, or has one that nobody has added, is noticed.
func TestSearchedNotices(t *testing.T) {
	for name, spoil := range map[string]func(*Searched) error{
		"exact lacks one": func(s *Searched) error { return s.exact.Remove(s.list.ids[0]) },
		"graph lacks one": func(s *Searched) error { return s.graph.Remove(s.list.ids[0]) },
		"exact has one": func(s *Searched) error {
			_, err := s.exact.Add(tensor.DenseOf([]float32{0, 0}, 2))
			return err
		},
		"graph has one": func(s *Searched) error {
			_, err := s.graph.Add(tensor.DenseOf([]float32{0, 0}, 2))
			return err
		},
		"a number is skipped": func(s *Searched) error {
			s.list.next++
			return nil
		},
	} {
		s := opened(t, &Searched{})
		if err := steps(s, 5); err != nil {
			t.Fatal(err)
		}
		if err := spoil(s); err != nil {
			t.Fatal(err)
		}
		if steps(s, 30) == nil {
			t.Errorf("%s, and nobody notices", name)
		}
	}
}
