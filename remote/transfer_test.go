package remote_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"testing"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A tensor is sent from server to server, and not to the client.
func TestTransfer(t *testing.T) {
	ctx := context.Background()
	key := newKey(t)
	a, b := start(t), start(t, func(c *server.Config) { // which admits only the client, not the other server
		c.Admit = func(id wire.PeerID, _ *wire.Hello) error {
			if mine, _ := wire.PeerIDOf(key.Public().(ed25519.PublicKey)); id != mine {
				return errors.New("who are you?")
			}
			return nil
		}
	})
	x, address := through(t, b)
	from := dial(t, a)
	to := dial(t, b, func(c *remote.Config) { c.Address, c.Key = address, key })
	const n = 4 << 20
	big := from.Execute("Expand", nil, from.Register(vec(3)), from.Register(tensor.Of([]int64{n}, 1)))
	copied, err := big.To(ctx, to)
	if err != nil {
		t.Fatal(err)
	}
	big.Release() // the other server still gets it
	sum := mustRead(t, to.Execute("ReduceMax", remote.Attrs{"keepdims": 0}, copied))
	if !tensor.Equal(sum, tensor.Of([]float32{3})) {
		t.Errorf("got %v", sum.Data)
	}
	if got := x.bytes.Load(); got > 64<<10 {
		t.Errorf("%d bytes have gone to the client and back, of a tensor of %d", got, 4*n)
	}
	back, err := copied.To(ctx, from)
	if err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, back); got.Len() != n {
		t.Errorf("back: got %v", got)
	}
	if err := from.Sync(ctx); err != nil {
		t.Error(err)
	}
}

// Transfers in both directions, each of a tensor from the other one, do not wait in a circle.
func TestTransfersThatCross(t *testing.T) {
	ctx := context.Background()
	a, b := dial(t, start(t)), dial(t, start(t))
	x, y := a.Register(vec(1)), b.Register(vec(10))
	const rounds = 50
	for range rounds {
		p, err := x.To(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		q, err := y.To(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		x, y = a.Execute("Add", nil, x, q), b.Execute("Sub", nil, y, p)
	}
	errs := make(chan error)
	for _, z := range []*remote.Tensor{x, y} {
		go func() {
			_, err := z.Read(ctx)
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	p, q := float32(1), float32(10)
	for range rounds {
		p, q = p+q, q-p
	}
	if got := mustRead(t, x); !tensor.Equal(got, vec(p)) {
		t.Errorf("got %v, want %v", got.Data, p)
	}
	if got := mustRead(t, y); !tensor.Equal(got, vec(q)) {
		t.Errorf("got %v, want %v", got.Data, q)
	}
}

// Many concurrent transfers in both directions are all completed.
func TestManyTransfersAtOnce(t *testing.T) {
	ctx := context.Background()
	a, b := dial(t, start(t)), dial(t, start(t))
	errs := make(chan error)
	const each = 100
	for i := range 2 * each {
		go func() {
			from, to := a, b
			if i%2 == 0 {
				from, to = b, a
			}
			y, err := from.Register(vec(float32(i))).To(ctx, to)
			if err == nil {
				var got *tensor.Tensor
				if got, err = y.Read(ctx); err == nil && !tensor.Equal(got, vec(float32(i))) {
					err = errors.New("another tensor has come")
				}
			}
			errs <- err
		}()
	}
	for range 2 * each {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// An error at the source is an error at the target, with the name of the source's operator.
func TestTransferOfAFailure(t *testing.T) {
	ctx := context.Background()
	a, b := dial(t, start(t)), dial(t, start(t, func(c *server.Config) { c.ClientMemory = 1 << 16 }))
	bad, err := a.Execute("Nonsense", nil, a.Register(vec(1))).To(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	var told *remote.Error
	if _, err := bad.Read(ctx); !errors.As(err, &told) || told.Op != "Nonsense" {
		t.Errorf("got %v, want an error of Nonsense", err)
	}
	if err := b.Sync(ctx); err == nil {
		t.Error("Sync does not tell of the failure")
	}
	big, err := a.Register(tensor.New(tensor.Float32, 1<<16)).To(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := big.Read(ctx); !errors.Is(err, remote.ErrMemory) {
		t.Errorf("got %v, want %v", err, remote.ErrMemory)
	}
}

// A tensor may be copied to another session on the same server.
func TestTransferWithinAServer(t *testing.T) {
	s := start(t)
	a, b := dial(t, s), dial(t, s)
	y, err := a.Register(vec(1, 2)).To(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	if got, err := y.Read(context.Background()); err == nil && !tensor.Equal(got, vec(1, 2)) { // or the session had ended before
		t.Errorf("got %v", got.Data)
	}
}
