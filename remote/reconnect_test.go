package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// link is a network between a client and a server that can be cut, and counts the bytes.
type link struct {
	listener net.Listener
	server   *server.Server
	to       string
	bytes    atomic.Int64
	cutAfter atomic.Int64 // bytes after which it is cut once; 0: never
	cuts     atomic.Int64

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

// through returns a link to a server, and the address of the link.
func through(t testing.TB, s *server.Server) (*link, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(at(s), "/") // /ip4/127.0.0.1/tcp/PORT/p2p/ID
	x := &link{listener: l, server: s, to: net.JoinHostPort(parts[2], parts[4]), conns: map[net.Conn]bool{}}
	x.wg.Go(x.serve)
	t.Cleanup(func() {
		l.Close()
		x.cut()
		x.wg.Wait()
	})
	parts[4] = fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	return x, strings.Join(parts, "/")
}

func (x *link) serve() {
	for {
		a, err := x.listener.Accept()
		if err != nil {
			return
		}
		b, err := net.Dial("tcp", x.to)
		if err != nil || !x.add(a, b) {
			a.Close()
			continue
		}
		for _, pair := range [][2]net.Conn{{a, b}, {b, a}} {
			x.wg.Go(func() {
				io.Copy(counted{pair[0], x}, pair[1])
				pair[0].Close()
				pair[1].Close()
			})
		}
	}
}

func (x *link) add(a, b net.Conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.down {
		b.Close()
		return false
	}
	x.conns[a], x.conns[b] = true, true
	return true
}

// cut ends all connections.
func (x *link) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for c := range x.conns {
		c.Close()
	}
	clear(x.conns)
	x.cuts.Add(1)
}

// set makes the link refuse connections, or accept them again.
func (x *link) set(down bool) {
	x.mu.Lock()
	x.down = down
	x.mu.Unlock()
	if down {
		x.cut()
	}
}

// counted is a connection whose bytes the link counts.
type counted struct {
	net.Conn
	x *link
}

func (c counted) Write(b []byte) (int, error) {
	n := c.x.bytes.Add(int64(len(b)))
	if most := c.x.cutAfter.Load(); most > 0 && n >= most && c.x.cutAfter.CompareAndSwap(most, 0) {
		k, _ := c.Conn.Write(b[:len(b)/2])
		c.x.cut()
		return k, net.ErrClosed
	}
	return c.Conn.Write(b)
}

// If a connection breaks at any point, nothing is lost or done twice: each sum is right, and so is the order
// of random numbers.
func TestReconnect(t *testing.T) {
	s := start(t)
	x, address := through(t, s)
	ctx := context.Background()
	d := dial(t, s, func(c *remote.Config) { c.Address, c.Patience = address, time.Minute })
	sum, one := d.Register(vec(0)), d.Register(vec(1))
	var drawn []*remote.Tensor
	var big []*remote.Tensor
	const rounds = 60
	for i := range rounds {
		x.cutAfter.Store(x.bytes.Load() + int64(1+i*i*53%40_000))
		next := d.Execute("Add", nil, sum, one)
		sum.Release()
		sum = next
		big = append(big, d.Register(tensor.New(tensor.Float32, 3000)))
		drawn = append(drawn, d.Execute("RandomUniform", remote.Attrs{"shape": []int{4}}))
		if i%5 == 0 {
			if got := mustRead(t, sum); !tensor.Equal(got, vec(float32(i+1))) {
				t.Fatalf("round %d: got %v", i, got.Data)
			}
			if got := mustRead(t, big[i]); got.Len() != 3000 {
				t.Fatalf("round %d: got %v", i, got)
			}
		}
	}
	x.cutAfter.Store(0)
	if x.cuts.Load() < 10 {
		t.Errorf("the link was cut %d times: the test shows little", x.cuts.Load())
	}
	if err := d.Sync(ctx); err != nil {
		t.Error(err)
	}
	got, err := d.Read(ctx, drawn...)
	if err != nil {
		t.Fatal(err)
	}
	plain := dial(t, s)
	for i := range drawn {
		want := mustRead(t, plain.Execute("RandomUniform", remote.Attrs{"shape": []int{4}}))
		if !tensor.Equal(got[i], want) {
			t.Fatalf("draw %d: got %v, want %v", i, got[i].Data, want.Data)
		}
	}
}

// A break in the middle of a tensor has no other effect than other breaks, in both directions.
func TestBreakWithinATensor(t *testing.T) {
	x, address := through(t, start(t))
	d := dial(t, x.server, func(c *remote.Config) { c.Address, c.Patience = address, time.Minute })
	big := tensor.New(tensor.Float32, 1<<20)
	for i := range tensor.Data[float32](big) {
		tensor.Data[float32](big)[i] = float32(i)
	}
	x.cutAfter.Store(x.bytes.Load() + 2<<20)
	y := d.Register(big)
	if err := d.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	x.cutAfter.Store(x.bytes.Load() + 2<<20)
	if got := mustRead(t, y); !tensor.Equal(got, big) {
		t.Error("another tensor comes back")
	}
	if n := x.cuts.Load(); n != 2 {
		t.Errorf("the link was cut %d times, want 2", n)
	}
}

// Operations during a break are executed after it.
func TestWorkDuringABreak(t *testing.T) {
	s := start(t)
	x, address := through(t, s)
	d := dial(t, s, func(c *remote.Config) { c.Address, c.Patience = address, time.Minute })
	a := d.Register(vec(1, 2))
	mustRead(t, a)
	x.set(true)
	b := d.Execute("Add", nil, a, a)
	read := make(chan error)
	go func() {
		got, err := b.Read(context.Background())
		if err == nil && !tensor.Equal(got, vec(2, 4)) {
			err = fmt.Errorf("got %v", got.Data)
		}
		read <- err
	}()
	x.set(false)
	if err := <-read; err != nil {
		t.Error(err)
	}
}

// If the server has stopped, every call returns that error.
func TestLostServer(t *testing.T) {
	s := start(t)
	x, address := through(t, s)
	d := dial(t, s, func(c *remote.Config) { c.Address, c.Patience = address, 100*time.Millisecond })
	a := d.Register(vec(1))
	mustRead(t, a)
	x.set(true)
	for name, call := range map[string]func() error{
		"read":     func() error { _, err := a.Read(context.Background()); return err },
		"sync":     func() error { return d.Sync(context.Background()) },
		"describe": func() error { _, err := d.Describe(context.Background()); return err },
		"load":     func() error { _, err := d.Load(context.Background(), nil); return err },
		"execute": func() error {
			_, err := d.Execute("Neg", nil, a).Read(context.Background())
			return err
		},
		"transfer": func() error { _, err := a.To(context.Background(), d); return err },
	} {
		if err := call(); !errors.Is(err, remote.ErrLost) {
			t.Errorf("%s: got %v, want %v", name, err, remote.ErrLost)
		}
	}
}

// A server that was restarted, or has waited for long enough, has lost the session and reports that.
func TestLostSession(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Grace = time.Millisecond })
	x, address := through(t, s)
	d := dial(t, s, func(c *remote.Config) { c.Address, c.Patience = address, time.Minute })
	a := d.Register(tensor.New(tensor.Float32, 1000))
	mustRead(t, a)
	x.set(true)
	eventually(t, "the session ends", func() bool { return s.Used() == 0 })
	x.set(false)
	if _, err := a.Read(context.Background()); !errors.Is(err, remote.ErrLost) || !strings.Contains(err.Error(), "no such session") {
		t.Errorf("got %v, want %v", err, remote.ErrLost)
	}
}
