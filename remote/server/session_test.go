package server_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// dial returns a device of a server.
func dial(t *testing.T, s *server.Server) *remote.Device {
	t.Helper()
	d, err := remote.Dial(t.Context(), remote.Config{Address: string(s.Addresses()[0]), Key: newKey(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestTransfer: a server fetches a tensor from another one, without the client; a tensor that cannot be computed is
// the failure of its reader.
func TestTransfer(t *testing.T) {
	a, b := dial(t, start(t)), dial(t, start(t))
	there, err := a.Register(tensor.Of([]float32{1, -2}, 2)).To(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Execute("Neg", nil, there).Read(t.Context())
	if err != nil || tensor.Data[float32](got)[1] != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	wrong := a.Execute("Neg", nil, a.Register(tensor.Of([]string{"text"}, 1)))
	there, err = wrong.To(t.Context(), b)
	if err == nil {
		_, err = there.Read(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "Neg") {
		t.Errorf("the error of a tensor that cannot be computed is %v", err)
	}
}

// TestFetchRefused: a ticket that the other server has not offered, and a server that is not there, are failures.
func TestFetchRefused(t *testing.T) {
	s, other := start(t), start(t)
	gone := start(t)
	address := string(gone.Addresses()[0])
	gone.Close()
	conn := opened(t, s)
	for i, at := range []string{string(other.Addresses()[0]), address} {
		seq := uint64(2*i + 1)
		if err := conn.Send(&protocol.Message{Kind: protocol.Fetch, Seq: seq, Blob: make([]byte, 32), Out: []uint64{seq}, Address: at}); err != nil {
			t.Fatal(err)
		}
		if err := conn.Send(&protocol.Message{Kind: protocol.Sync, Seq: seq + 1, To: seq}); err != nil {
			t.Fatal(err)
		}
		for {
			m, err := conn.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind != protocol.Answer || m.To != seq {
				continue
			}
			if m.Failure == nil {
				t.Errorf("%s: got no failure", at)
			}
			break
		}
	}
	lives(t, s)
}

// TestGraphs: a graph runs as often as it is asked to, until it is released; one that is no model, and inputs that do
// not fit, are failures that say so.
func TestGraphs(t *testing.T) {
	d := dial(t, start(t))
	m, err := ir.Parse("double.ir", "module \"double\"\nopset 21\nfunc @main(%x: float32[n]) -> (%y) {\n  %y = Add(%x, %x) : ?\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	model, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := d.Load(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 3} {
		got, err := g.Run(d.Register(tensor.New(tensor.Float32, n)))[0].Read(t.Context())
		if err != nil || got.Len() != n {
			t.Errorf("%d elements: got %v, %v", n, got, err)
		}
	}
	if _, err := g.Run(d.Register(tensor.Of([]int64{1}, 1)))[0].Read(t.Context()); err == nil || !strings.Contains(err.Error(), "float32") {
		t.Errorf("an input of another type: %v", err)
	}
	g.Release()
	if _, err := d.Load(t.Context(), []byte("no model")); err == nil {
		t.Error("what is no model is loaded")
	}
	if p, err := d.Describe(context.Background()); err != nil || p.Memory == 0 {
		t.Errorf("the server describes itself as %+v, %v", p, err)
	}
}
