package libp2p

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/marcopolo/simnet"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// wireCut is an end of a network whose packets are dropped while it is cut.
type wireCut struct {
	net.PacketConn
	cut *atomic.Bool
}

func (c wireCut) WriteTo(b []byte, to net.Addr) (int, error) {
	if c.cut.Load() {
		return len(b), nil
	}
	return c.PacketConn.WriteTo(b, to)
}

// virtual makes transports on a simulated network that can be cut.
func virtual(n *simnet.Simnet, cut *atomic.Bool) func(peer.TransportConfig) (peer.Transport, error) {
	rate := simnet.LinkSettings{BitsPerSecond: 20e6}
	var endpoints sync.Mutex // peers start concurrently, and the network has no lock of its own
	return func(c peer.TransportConfig) (peer.Transport, error) {
		s := &source{}
		return start(c,
			quicreuse.OverrideSourceIPSelector(func() (quicreuse.SourceIPSelector, error) { return s, nil }),
			quicreuse.OverrideListenUDP(func(_ string, at *net.UDPAddr) (net.PacketConn, error) {
				s.ip = at.IP
				endpoints.Lock()
				defer endpoints.Unlock()
				return wireCut{n.NewEndpoint(at, simnet.NodeBiDiLinkSettings{Downlink: rate, Uplink: rate}), cut}, nil
			}))
	}
}

// lines are the events of a peer, with the time at which each was written.
type lines struct {
	mu   sync.Mutex
	list []peer.Line
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for text := range strings.Lines(string(b)) {
		var x peer.Line
		if err := json.Unmarshal([]byte(text), &x); err != nil {
			return 0, err
		}
		l.list = append(l.list, x)
	}
	return len(b), nil
}

// since returns how long after t the first event of a kind happened, and how many there were since t.
func (l *lines) since(t time.Time, kind string) (after time.Duration, count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.list {
		if x.Kind == kind && x.Time.After(t) {
			if count == 0 {
				after = x.Time.Sub(t)
			}
			count++
		}
	}
	return after, count
}

// Two peers run rounds over QUIC until the network is cut for a minute: both notice it in seconds, the dialing
// peer tries again, and rounds continue when the network is back. The minute passes in virtual time.
func TestVirtualReconnect(t *testing.T) {
	dir := t.TempDir()
	id := func(name string) (file string, id wire.PeerID) {
		file = filepath.Join(dir, name)
		key, err := peer.NewKey(file)
		if err != nil {
			t.Fatal(err)
		}
		return file, peer.IDOf(key)
	}
	roster := func(name string, m peer.Member) string {
		b, err := json.Marshal([]peer.Member{m})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	serverKey, serverID := id("server.pem")
	clientKey, clientID := id("client.pem")
	knowsClient := roster("client.json", peer.Member{ID: clientID, Class: "client"})
	knowsServer := roster("server.json", peer.Member{ID: serverID, Class: "server", Addresses: []wire.Address{"/ip4/1.0.0.1/udp/8000/quic-v1"}})

	synctest.Test(t, func(t *testing.T) {
		n := &simnet.Simnet{LatencyFunc: simnet.StaticLatency(25 * time.Millisecond)}
		n.Start()
		var cut atomic.Bool
		transport := virtual(n, &cut)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		run := func(p *runtime.Partition, begin func(*runtime.Node) error, args ...string) *lines {
			var out lines
			all.Go(func() {
				var errs strings.Builder
				code := peer.Do(ctx, peer.Program{Name: "test", Class: p.Class, Fingerprint: p.Fingerprint, Transport: transport, Start: begin,
					Partition: func(runtime.Env) (*runtime.Partition, error) { return p, nil }},
					append(args, "-events", "-", "-log", "none", "-grace", "100ms"), &out, &errs)
				if code != 0 && !strings.Contains(errs.String(), "did not end in time") {
					t.Errorf("%s: exit code %d: %s", p.Class, code, &errs)
				}
			})
			return &out
		}
		server := run(handmade.Server(1e6, 1, int64(time.Hour)), func(n *runtime.Node) error {
			_, err := n.Invoke(n.Now(), "server", tensor.Of([]float64{8, -3}, 2))
			return err
		}, "-key", serverKey, "-peers", knowsClient, "-listen", "/ip4/1.0.0.1/udp/8000/quic-v1")
		client := run(handmade.Client(&handmade.Trainer{}), nil,
			"-key", clientKey, "-peers", knowsServer, "-listen", "/ip4/1.0.0.2/udp/8000/quic-v1")
		began := time.Now()
		defer func() {
			cancel()
			all.Wait()
			n.Close()
		}()

		time.Sleep(5 * time.Second)
		if _, rounds := server.since(began, "emitted"); rounds < 50 {
			t.Errorf("%d rounds in 5 s at 50 ms from end to end and back, want 50", rounds)
		}
		off := time.Now()
		cut.Store(true)
		time.Sleep(time.Minute)
		for name, l := range map[string]*lines{"server": server, "client": client} {
			if after, n := l.since(off, "peer down"); n == 0 || after > 10*time.Second {
				t.Errorf("the %s notices after %v that the network is gone (%d times), want within 10 s", name, after, n)
			}
		}
		if _, rounds := server.since(off.Add(time.Second), "emitted"); rounds > 0 {
			t.Errorf("%d rounds without a network", rounds)
		}
		on := time.Now()
		cut.Store(false)
		time.Sleep(30 * time.Second)
		if after, n := client.since(on, "peer up"); n != 1 || after > 12*time.Second {
			t.Errorf("the client is back after %v (%d times), want once within 12 s", after, n)
		}
		if _, rounds := server.since(on, "emitted"); rounds < 100 {
			t.Errorf("%d rounds since the network is back, want 100", rounds)
		}
	})
}
