package secagg

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// stateRound is an execution of the server.
func stateRound(n uint64) runtime.Round {
	return runtime.Round{Exec: wire.ExecID{Origin: signerOf(9).self, Incarnation: 1, Number: n}, Module: 3}
}

// The states of all components are read by later versions: in the middle of two executions.
func TestStates(t *testing.T) {
	var c Collect
	var s Sum
	client := Client{Least: 2}
	if err := client.Open(runtime.Env{Random: rand.NewChaCha8([32]byte{1}), Identity: signerOf(0)}); err != nil {
		t.Fatal(err)
	}
	for n := range uint64(2) {
		for _, g := range []runtime.Gatherer{&c, &s, &client} {
			g.Enter(stateRound(n))
		}
		keys, err := client.Keys(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(n) + 1 {
			if err := c.Contribute(signerOf(i).self, vector([]byte{byte(i), 2, 3}[:i+1]), 1); err != nil {
				t.Fatal(err)
			}
			x := tensor.DenseOf([]int32{1, 2, int32(i)}[:i+2], i+2)
			if err := s.Contribute(signerOf(i).self, values.LargeOf(x), 1); err != nil {
				t.Fatal(err)
			}
		}
		if n == 1 {
			roster := appendMessages(nil, []message{{signerOf(0).self, keys.Data}})
			if _, err := client.Shares(context.Background(), vector(roster)); err == nil {
				t.Error("a peer takes part alone")
			}
		}
	}
	statetest.Check(t, "collect", &c, func() runtime.Component { return &Collect{} })
	statetest.Check(t, "sum", &s, func() runtime.Component { return &Sum{} })
	statetest.Check(t, "client", &client, func() runtime.Component { return &Client{} })
	client.Enter(stateRound(0))
	if _, err := client.Keys(context.Background(), 0); err == nil || err.Error() != "execution 0 comes after 1: keys for it may be known" {
		t.Errorf("%v, want that the keys of an earlier execution are refused", err)
	}
}
