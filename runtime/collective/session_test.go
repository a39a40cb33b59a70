package collective_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// connect makes sessions, one for each rank, and carries their messages until the context
// ends.
func connect(ctx context.Context, c collective.Config, parameters ...collective.Parameter) ([]*collective.Session, error) {
	var all []*collective.Session
	for rank := range c.Ranks {
		c.Self = rank
		s, err := collective.NewSession(c, parameters...)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	for from, s := range all {
		for to := range all {
			go func() {
				for {
					m, err := s.Next(ctx, to)
					if err != nil {
						return
					}
					all[to].Receive(from, &m)
				}
			}()
		}
	}
	return all, nil
}

// Two ranks sum the gradients of two parameters. Each begins with a different parameter, and both wait for
// the results when they need them.
func ExampleSession() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sum := collective.Spec{Elem: tensor.Float32}
	ranks, err := connect(ctx, collective.Config{Ranks: 2}, collective.Parameter{ID: 7, Spec: sum}, collective.Parameter{ID: 9, Spec: sum})
	if err != nil {
		fmt.Println(err)
		return
	}
	start := func(rank int, id collective.ParameterID, x ...float32) *collective.CollectiveTensor {
		t, err := ranks[rank].Start(id, collective.Value{Rows: 1, Row: len(x), Data: tensor.Raw(x)})
		if err != nil {
			fmt.Println(err)
		}
		return t
	}
	weights, bias := start(0, 7, 1, 2), start(0, 9, 10)
	start(1, 9, 30)
	start(1, 7, 3, 4)
	for _, t := range []*collective.CollectiveTensor{bias, weights} {
		r, err := t.Resolve(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		x := make([]float32, len(r.Data)/4)
		tensor.SetRaw(x, r.Data)
		fmt.Println(x)
	}
	// Output:
	// [40]
	// [4 6]
}

// patient returns a context that ends when the test must have failed.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestSessionOrder: ranks start calls in different orders, several for each parameter, and wait for them in
// other orders. The results are those of the plain computation of matching calls.
func TestSessionOrder(t *testing.T) {
	const ranks, parameters, calls = 5, 6, 3
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var list []collective.Parameter
		kinds := []collective.Kind{collective.AllReduce, collective.Broadcast, collective.AllGather}
		for i := range parameters {
			list = append(list, collective.Parameter{ID: collective.ParameterID(1000 * i), Spec: collective.Spec{Kind: kinds[i%len(kinds)], Elem: tensor.Float32}})
		}
		ctx := patient(t)
		all, err := connect(ctx, collective.Config{Ranks: ranks, Chunk: 64, Eager: 100}, list...)
		if err != nil {
			t.Fatal(err)
		}
		value := func(rank, parameter, call int) collective.Value {
			x := make([]float32, 10+parameter)
			for i := range x {
				x[i] = float32(rank*1000 + parameter*100 + call*10 + i)
			}
			return collective.Value{Rows: 1, Row: len(x), Data: tensor.Raw(x)}
		}
		var wg sync.WaitGroup
		for rank, s := range all {
			order, later := r.Perm(parameters*calls), r.Perm(parameters*calls)
			wg.Go(func() {
				var next [parameters]int
				var tensors [parameters * calls]*collective.CollectiveTensor
				for _, k := range order {
					p := k % parameters
					x, err := s.Start(list[p].ID, value(rank, p, next[p]))
					if err != nil {
						t.Error(err)
						return
					}
					tensors[next[p]*parameters+p] = x
					next[p]++
				}
				for _, k := range later {
					p, call := k%parameters, k/parameters
					var values []collective.Value
					for other := range ranks {
						values = append(values, value(other, p, call))
					}
					got, err := tensors[k].Resolve(ctx)
					if want := list[p].Spec.Evaluate(values)[rank]; err != nil || !bytes.Equal(got.Data, want) {
						t.Errorf("seed %d: rank %d, call %d of parameter %d: got %x, %v, want %x", seed, rank, call, p, got.Data, err, want)
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestSessionSync: a result can be assumed when it is available, and not before. A call without a result when
// the session is closed never gets one.
func TestSessionSync(t *testing.T) {
	ctx := patient(t)
	all, err := connect(ctx, collective.Config{Ranks: 2}, collective.Parameter{ID: 1, Spec: collective.Spec{Elem: tensor.Float32}})
	if err != nil {
		t.Fatal(err)
	}
	one := collective.Value{Rows: 1, Row: 1, Data: tensor.Raw([]float32{1})}
	x, err := all[0].Start(1, one)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.AssumeResolved(); !errors.Is(err, collective.ErrUnresolved) {
		t.Errorf("got %v, want that it is on its way", err)
	}
	if _, err := all[1].Start(1, one); err != nil {
		t.Fatal(err)
	}
	if err := all[0].Sync(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := x.AssumeResolved(); err != nil {
		t.Error(err)
	}
	if x, err = all[0].Start(1, one); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Resolve(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context has ended", err)
	}
	all[0].Close()
	if _, err := x.Resolve(ctx); !errors.Is(err, collective.ErrClosed) {
		t.Errorf("got %v, want that the session is closed", err)
	}
	if _, err := all[0].Start(1, one); !errors.Is(err, collective.ErrClosed) {
		t.Errorf("got %v, want that the session is closed", err)
	}
}

// TestSessionLost: when a rank is lost, results are errors that name it, or those of the remaining ranks.
func TestSessionLost(t *testing.T) {
	for _, lost := range []collective.IfLost{collective.Fail, collective.Repeat} {
		ctx := patient(t)
		all, err := connect(ctx, collective.Config{Ranks: 3, IfLost: lost}, collective.Parameter{ID: 1, Spec: collective.Spec{Elem: tensor.Float32}})
		if err != nil {
			t.Fatal(err)
		}
		var started []*collective.CollectiveTensor
		for _, s := range all[:2] {
			x, err := s.Start(1, collective.Value{Rows: 1, Row: 1, Data: tensor.Raw([]float32{1})})
			if err != nil {
				t.Fatal(err)
			}
			started = append(started, x)
		}
		all[2].Close()
		all[0].Down(2)
		for _, x := range started {
			r, err := x.Resolve(ctx)
			var who *collective.RankError
			if lost == collective.Fail && (!errors.As(err, &who) || who.Rank != 2) || lost == collective.Repeat && (err != nil || r.Ranks != 2) {
				t.Errorf("%v: got %+v, %v", lost, r, err)
			}
		}
	}
}

// TestSessionParameters refuses duplicate or missing parameters.
func TestSessionParameters(t *testing.T) {
	sum := collective.Spec{Elem: tensor.Float32}
	if _, err := collective.NewSession(collective.Config{Ranks: 1}, collective.Parameter{ID: 3, Spec: sum}, collective.Parameter{ID: 3, Spec: sum}); err == nil {
		t.Error("two of one id are taken")
	}
	s, err := collective.NewSession(collective.Config{Ranks: 1}, collective.Parameter{ID: 3, Spec: sum})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(4, collective.Value{}); err == nil {
		t.Error("a parameter that is none is taken")
	}
}
