package tcp

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/channel"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The shaped link of [BenchmarkLongLink]: 1 Gbit/s in each direction, 50 ms each way, and connections whose
// window is that of Linux with its usual limits of buffers.
var (
	slower    = flag.Int("slower", 1, "the link of BenchmarkLongLink has `N` times the delay and a part of the rate: for a machine that cannot encrypt fast enough")
	linkRate  = func() float64 { return 125e6 / float64(*slower) } // bytes per second
	linkDelay = func() time.Duration { return 50 * time.Millisecond * time.Duration(*slower) }
)

const linkWindow = 3 << 20

// shaper is one direction of a link, which all connections share.
type shaper struct {
	mu   sync.Mutex
	free time.Time // when everything is sent
}

// reserve returns when n bytes have been sent.
func (s *shaper) reserve(n int) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.free.Before(now) {
		s.free = now
	}
	s.free = s.free.Add(time.Duration(float64(n) / linkRate() * 1e9))
	return s.free
}

// delayed is a connection over a shaped link. Only writes are shaped: so the other end delays the rest.
type delayed struct {
	net.Conn
	link   *shaper
	parts  chan part
	window chan struct{} // has a token for each part in flight
	once   sync.Once
	done   chan struct{}
}

// part is bytes that arrive at a time.
type part struct {
	b  []byte
	at time.Time
}

// partSize is a bit more than a TLS record, which is one write.
const partSize = 16<<10 + 64

func newDelayed(c net.Conn, link *shaper) *delayed {
	d := &delayed{Conn: c, link: link, parts: make(chan part, linkWindow/partSize), window: make(chan struct{}, linkWindow/partSize), done: make(chan struct{})}
	go d.deliver()
	return d
}

// deliver writes each part when it arrives, and frees its window when the sender gets to know that.
func (d *delayed) deliver() {
	for {
		select {
		case p := <-d.parts:
			time.Sleep(time.Until(p.at))
			if _, err := d.Conn.Write(p.b); err != nil {
				d.Close()
				return
			}
			time.AfterFunc(linkDelay(), func() { <-d.window })
		case <-d.done:
			return
		}
	}
}

func (d *delayed) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		k := min(len(b), partSize)
		select {
		case d.window <- struct{}{}:
		case <-d.done:
			return 0, net.ErrClosed
		}
		d.parts <- part{append([]byte(nil), b[:k]...), d.link.reserve(k).Add(linkDelay())}
		b = b[k:]
	}
	return n, nil
}

func (d *delayed) Close() error {
	d.once.Do(func() { close(d.done) })
	return d.Conn.Close()
}

// longNetwork is the network of a peer behind a shaped link.
type longNetwork struct {
	network
	out *shaper // from this peer
}

type longListener struct {
	channel.Listener
	out *shaper
}

func (l longListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newDelayed(c, l.out), nil
}

func (n longNetwork) Listen(a wire.Address) ([]channel.Listener, error) {
	list, err := n.network.Listen(a)
	for i, l := range list {
		list[i] = longListener{l, n.out}
	}
	return list, err
}

func (n longNetwork) Dial(ctx context.Context, a wire.Address, id wire.PeerID) (net.Conn, error) {
	c, err := n.network.Dial(ctx, a, id)
	if err != nil {
		return nil, err
	}
	return newDelayed(c, n.out), nil
}

// adder is a frame that sums the same vector again and again.
type adder struct {
	runtime.Frame
	x    *tensor.Memory
	size int // of x, in bytes
	done *int
}

func (f *adder) Run(e *runtime.Engine, block int) error {
	if block == 0 {
		e.Collect(&f.Frame, 0, 0, f.x, f.x.Bytes()[:f.size], f.size/4)
		return nil
	}
	e.Emit(&f.Frame, "sum", tensor.Of([]float32{0}, 1))
	if *f.done++; *f.done >= longRounds {
		return nil
	}
	_, err := e.Begin(&f.Frame, 0)
	return err
}
func (f *adder) Fill(int, *wire.SlotFill) error        { return nil }
func (f *adder) Input(int, tensor.Value) error         { return nil }
func (f *adder) Task(int) runtime.Task                 { return nil }
func (f *adder) Clear()                                {}
func (f *adder) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (f *adder) UnmarshalBinary([]byte) error          { return nil }

// adders returns the program of a peer that sums size bytes. They are in memory with a reference count, so that they are not copied in each round.
func adders(size int) *runtime.Partition {
	x, done := tensor.NewMemory(size), new(int)
	clear(x.Bytes())
	return &runtime.Partition{
		Class: "adder", Fingerprint: []byte("adder"), Schema: 1,
		Edges: []runtime.Edge{{ID: 1, Type: 1, Name: "adder.sum", From: "adder", Dims: collective.Words, Receives: true, Cut: 0,
			Collective: &runtime.Collective{Spec: collective.Spec{Elem: tensor.Float32}}}},
		Modules: []runtime.Module{{
			Name: "adder", New: func() runtime.Body { return &adder{x: x, size: size, done: done} },
			Blocks: []runtime.Block{{Name: "sum", Starts: 1}, {Name: "next", Wait: 1}},
			Cuts:   []runtime.Cut{{Kind: runtime.CollectiveCut, Name: "sum"}},
		}},
	}
}

const (
	longRounds = 8
	longWarm   = 3 // rounds until the parallel connections are open
)

// BenchmarkLongLink measures which share of a link of 1 Gbit/s and 100 ms all-reduces of two peers use in each
// direction, by size and number of connections. One connection holds a quarter of the link at most, so it has a row of one
// size only: a sum of 512 MiB would take 18 s there, and a row eight of them.
func BenchmarkLongLink(b *testing.B) {
	for _, row := range []struct {
		size        int
		connections string
	}{{64 << 20, "1"}, {64 << 20, "0"}, {256 << 20, "0"}, {512 << 20, "0"}} {
		b.Run(fmt.Sprintf("%dMiB/connections=%s", row.size>>20, row.connections), func(b *testing.B) {
			for b.Loop() {
				took := sums(b, row.size, row.connections)
				b.ReportMetric(float64(row.size)/took.Seconds()/linkRate(), "share")
			}
		})
	}
}

// sums returns how long an all-reduce of two peers takes.
func sums(b *testing.B, size int, connections string) time.Duration {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	dir := b.TempDir()
	var keys [2]string
	var all [2]peer.Member
	for i := range keys {
		keys[i] = filepath.Join(dir, fmt.Sprint(i))
		key, err := peer.NewKey(keys[i])
		if err != nil {
			b.Fatal(err)
		}
		all[i] = peer.Member{ID: peer.IDOf(key), Class: "adder", Rank: i}
	}
	listens := make(chan []wire.Address, 1)
	emitted := make(chan time.Time, longRounds)
	var ended sync.WaitGroup
	for i := range keys {
		list, _ := json.Marshal([]peer.Member{all[1-i]})
		file := filepath.Join(dir, fmt.Sprint("peers", i))
		if err := os.WriteFile(file, list, 0o600); err != nil {
			b.Fatal(err)
		}
		args := []string{"-key", keys[i], "-peers", file, "-rank", fmt.Sprint(i), "-log", "none", "-connections", connections, "-await", "adder=1", "-grace", "1s"}
		p := adders(size)
		program := peer.Program{Name: "adders", Class: "adder", Fingerprint: p.Fingerprint,
			Partition: func(runtime.Env) (*runtime.Partition, error) { return p, nil },
			Start: func(n *runtime.Node) error {
				_, err := n.Invoke(n.Now(), "adder")
				return err
			},
			Transport: func(c peer.TransportConfig) (peer.Transport, error) {
				tr, err := channel.New(c, longNetwork{network{peer.IDOf(c.Key)}, &shaper{}})
				if err == nil && i == 0 {
					listens <- tr.Addresses()
				}
				return tr, err
			}}
		if i == 0 {
			args = append(args, "-listen", "/ip4/127.0.0.1/tcp/0")
			program.Tell = func(e runtime.Event) {
				if e.Kind == runtime.Emitted {
					emitted <- time.Now()
				}
			}
		}
		ended.Go(func() { peer.Do(ctx, program, args, io.Discard, os.Stderr) })
		if i == 0 {
			all[0].Addresses = <-listens
		}
	}
	var times []time.Time
	for range longRounds {
		times = append(times, <-emitted)
	}
	cancel()
	ended.Wait()
	return times[longRounds-1].Sub(times[longWarm-1]) / (longRounds - longWarm)
}
