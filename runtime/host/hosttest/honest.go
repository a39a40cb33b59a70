package hosttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// bare makes a transport without a host.
func (k *kit) bare(t testing.TB, listen bool) (peer.Transport, wire.PeerID) {
	t.Helper()
	file, m := member(t, "", 0)
	return k.bareKey(t, file, listen), m.ID
}

func (k *kit) bareKey(t testing.TB, file string, listen bool) peer.Transport {
	t.Helper()
	key, err := peer.ReadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	c := peer.TransportConfig{Key: key, Log: quiet, Handshakes: 8, HandshakeTimeout: patience}
	if listen {
		c.Listen = []wire.Address{wire.Address(k.listen)}
	}
	tr, err := k.create(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// A peer that cannot listen at an address reports that, and ends.
func testNoPlace(t *testing.T, k *kit) {
	file, _ := member(t, "", 0)
	other, _ := k.bare(t, true)
	taken, _, _ := strings.Cut(string(other.Addresses()[0]), "/p2p/")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, at := range []string{"/ip4/127.0.0.1/tcp/99999", "/ip4/192.0.2.1/tcp/0", taken} { // the second is an address of another machine
		var out, errs strings.Builder
		p := handmade.Pong()
		code := peer.Do(ctx, peer.Program{Name: "test", Class: p.Class, Fingerprint: p.Fingerprint, Transport: k.create,
			Partition: func(runtime.Env) (*runtime.Partition, error) { return p, nil }}, []string{"-key", file, "-log", "none", "-listen", at}, &out, &errs)
		if code != 1 || !strings.Contains(errs.String(), at) {
			t.Errorf("%s: exit code %d: %s", at, code, &errs)
		}
	}
}

// protocols are those of streams between peers.
var protocols = [...]peer.Protocol{peer.EnvelopeStream, peer.BulkStream, peer.ParallelStream}

// Both ends of a stream know each other's ids and the stream's protocol, and bytes arrive in both directions. An
// address where nobody listens is no obstacle.
func testDial(t *testing.T, k *kit) {
	a, aID := k.bare(t, true)
	b, bID := k.bare(t, false)
	for _, p := range protocols {
		go func() {
			s, err := a.Accept()
			if err != nil {
				return
			}
			defer s.Close()
			fmt.Fprintf(s, "%v %v ", s.Peer() == bID, s.Protocol())
			io.Copy(s, io.LimitReader(s, 3))
			io.Copy(io.Discard, s)
		}()
		s, err := b.Dial(t.Context(), aID, append([]wire.Address{"/ip4/127.0.0.1/tcp/1"}, a.Addresses()...), p)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("true %v abc", p)
		got := make([]byte, len(want))
		s.SetReadDeadline(time.Now().Add(patience))
		s.Write([]byte("abc"))
		if n, err := io.ReadFull(s, got); err != nil || string(got) != want || s.Peer() != aID || s.Protocol() != p {
			t.Fatalf("got %q from %v on %v, %v; want %q from %v", got[:n], s.Peer(), s.Protocol(), err, want, aID)
		}
		s.Close()
	}
	if len(b.Addresses()) != 0 {
		t.Errorf("one who does not listen has addresses: %v", b.Addresses())
	}
	for _, x := range a.Addresses() {
		if id, ok := x.Peer(); !ok || id != aID {
			t.Errorf("address %s does not say whose it is", x)
		}
	}
}

func testWrongKey(t *testing.T, k *kit) {
	a, aID := k.bare(t, true)
	b, bID := k.bare(t, false)
	go func() {
		for {
			s, err := a.Accept()
			if err != nil {
				return
			}
			defer s.Close()
		}
	}()
	at := []wire.Address{}
	for _, x := range a.Addresses() { // poisoned: the addresses lead to another peer
		before, _, _ := strings.Cut(string(x), "/p2p/")
		at = append(at, wire.Address(before+"/p2p/"+bID.String()))
	}
	if _, err := b.Dial(t.Context(), bID, at, peer.EnvelopeStream); !errors.Is(err, peer.ErrWrongKey) {
		t.Errorf("got %v, want %v", err, peer.ErrWrongKey)
	}
	s, err := b.Dial(t.Context(), wire.PeerID{}, a.Addresses(), peer.EnvelopeStream)
	if err != nil || s.Peer() != aID {
		t.Errorf("nobody in particular: %v", err)
	}
	_, unheard := member(t, "", 0)
	if _, err := b.Dial(t.Context(), unheard.ID, nil, peer.EnvelopeStream); !errors.Is(err, peer.ErrNoAddress) {
		t.Errorf("got %v, want %v", err, peer.ErrNoAddress)
	}
}

// Messages of one peer to another arrive in order.
func testOrder(t *testing.T, k *kit) {
	var keys [3]string
	var all [3]peer.Member
	for i, class := range []string{"first", "second", "third"} {
		keys[i], all[i] = member(t, class, 0)
	}
	peers := peersFile(t, all[0], all[1], all[2])
	third := start(t, k.program(handmade.Stage(2), nil), "-key", keys[2], "-peers", peers, "-listen", k.listen)
	all[2].Addresses = third.addresses()
	peers = peersFile(t, all[0], all[2])
	second := start(t, k.program(handmade.Stage(1), nil), "-key", keys[1], "-peers", peers, "-listen", k.listen)
	all[1].Addresses = second.addresses()
	var values [][]float64
	var want []string
	for i := range 200 {
		values = append(values, []float64{float64(i), 1})
		want = append(want, fmt.Sprint(handmade.Pipeline(values[i])))
	}
	start(t, k.program(handmade.Stage(0), invoke("first", values...)), "-key", keys[0], "-peers", peersFile(t, all[1]))
	third.await("the last value", func(l peer.Line) bool {
		return l.Kind == "emitted" && fmt.Sprint(l.Value) == want[len(want)-1]
	})
	if got := third.emitted(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// rounds runs a server and some clients to the end, and compares the model.
func (k *kit) rounds(t testing.TB, server *kit, rounds, clients int, params []float64, clientArgs ...string) {
	t.Helper()
	key, m := member(t, "server", 0)
	var keys []string
	var others []peer.Member
	for c := range clients {
		file, x := member(t, "client", c)
		keys, others = append(keys, file), append(others, x)
	}
	s := start(t, server.server(rounds, clients, params), slices.Concat(k.args, []string{"-key", key, "-peers", peersFile(t, others...), "-listen", k.listen, "-once"})...)
	m.Addresses = s.addresses()
	for c := range clients {
		start(t, k.client(c), slices.Concat(k.args, clientArgs, []string{"-key", keys[c], "-rank", fmt.Sprint(c), "-peers", peersFile(t, m)})...)
	}
	l := s.await("the last round", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round == uint64(rounds) })
	if want := hash(handmade.Rounds(params, rounds, clients)); l.Hash != want {
		t.Errorf("the model is %s, want %s", l.Hash, want)
	}
	s.awaitKind("ended")
}

func testRounds(t *testing.T, k *kit) { k.rounds(t, k, 5, 3, []float64{8, -3}) }

// Faults of -chaos do not change the result.
func testChaos(t *testing.T, k *kit) {
	stormy := *k
	stormy.args = []string{"-chaos", "loss=10%,duplicate=10%,corrupt=3%,delay=1ms"}
	stormy.rounds(t, &stormy, 5, 3, []float64{8, -3})
}

// broken is a transport whose streams break after some bytes.
type broken struct {
	peer.Transport
	after func(p peer.Protocol) int64
	read  *atomic.Int64 // of bulk streams
}

func (b *broken) Accept() (peer.Stream, error) {
	s, err := b.Transport.Accept()
	return b.wrap(s, err)
}

func (b *broken) Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
	s, err := b.Transport.Dial(ctx, to, at, p)
	return b.wrap(s, err)
}

func (b *broken) wrap(s peer.Stream, err error) (peer.Stream, error) {
	if err != nil {
		return nil, err
	}
	x := &fragile{Stream: s, b: b}
	x.left.Store(b.after(s.Protocol()))
	return x, nil
}

type fragile struct {
	peer.Stream
	b    *broken
	left atomic.Int64
}

func (f *fragile) Read(p []byte) (int, error) {
	n, err := f.Stream.Read(p)
	if f.Protocol() == peer.BulkStream {
		f.b.read.Add(int64(n))
	}
	if f.left.Add(-int64(n)) < 0 {
		f.Close()
	}
	return n, err
}

func (k *kit) breaking(after func(p peer.Protocol) int64) (*kit, *atomic.Int64) {
	read := &atomic.Int64{}
	return &kit{listen: k.listen, create: func(c peer.TransportConfig) (peer.Transport, error) {
		tr, err := k.create(c)
		if err != nil {
			return nil, err
		}
		return &broken{tr, after, read}, nil
	}}, read
}

// Connections break repeatedly, each a bit later than the one before, and the result is the same.
func testReconnect(t *testing.T, k *kit) {
	var count atomic.Int64
	bad, _ := k.breaking(func(peer.Protocol) int64 { return 200 + 20*count.Add(1) })
	k.rounds(t, bad, 10, 3, []float64{8, -3})
	if n := count.Load(); n < 10 {
		t.Errorf("only %d streams", n)
	}
}

// A payload continues where it was when its stream broke.
func testBulkResumes(t *testing.T, k *kit) {
	const size, each = 8 << 20, 3 << 20
	bad, read := k.breaking(func(p peer.Protocol) int64 {
		if p == peer.BulkStream {
			return each
		}
		return 1 << 40
	})
	k.rounds(t, bad, 1, 1, make([]float64, size/8))
	// The server reads the update once, and the part that was in transit during a break again.
	if n, limit := read.Load(), int64(size+(size/each+1)*(2<<20)); n < size || n > limit {
		t.Errorf("%d bytes were read for %d, want at most %d", n, size, limit)
	}
}

// A small device accepts less at a time, and gets it.
func testEdge(t *testing.T, k *kit) {
	params := make([]float64, 100_000) // more than its envelopes and chunks hold
	for i := range params {
		params[i] = float64(i)
	}
	k.rounds(t, k, 2, 2, params, "-edge")
}

// Rounds continue although the server's log has no reader.
func testLogNobodyReads(t *testing.T, k *kit) {
	serverKey, server := member(t, "server", 0)
	key, client := member(t, "client", 0)
	r, w := io.Pipe()
	t.Cleanup(func() { r.Close() })
	s := startTo(t, w, k.server(50, 1, []float64{8, -3}), "-key", serverKey, "-peers", peersFile(t, client), "-listen", k.listen,
		"-log", "text", "-log-level", "debug", "-once")
	server.Addresses = s.addresses()
	start(t, k.client(0), "-key", key, "-peers", peersFile(t, server))
	s.await("the last round", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round == 50 })
}

// Two peers that dial each other at once end with one connection.
func testCrossing(t *testing.T, k *kit) {
	aKey, a := member(t, "ping", 0)
	bKey, b := member(t, "pong", 0)
	// A peer needs the address of the other before that listens there: get it from an earlier peer with the
	// same key.
	at := func(file string, m *peer.Member) string {
		tr := k.bareKey(t, file, true)
		m.Addresses = tr.Addresses()
		tr.Close()
		before, _, _ := strings.Cut(string(m.Addresses[0]), "/p2p/")
		return before
	}
	aAt, bAt := at(aKey, &a), at(bKey, &b)
	peers := peersFile(t, a, b)
	ping := start(t, k.program(handmade.Ping(100), invoke("ping", []float64{1, 2})), "-key", aKey, "-peers", peers, "-listen", aAt)
	start(t, k.program(handmade.Pong(), nil), "-key", bKey, "-peers", peers, "-listen", bAt)
	ping.await("the last value", func(l peer.Line) bool { return l.Kind == "emitted" && fmt.Sprint(l.Value) == "[101 102]" })
}

// A snapshot that cannot be written does not end the peer: it reports the failure, sends nothing that a restart
// would lose, and continues when there is room again.
func testNoRoom(t *testing.T, k *kit) {
	key, c := member(t, "client", 0)
	state := t.TempDir()
	s := start(t, k.server(3, 1, []float64{8, -3}), "-state", state, "-listen", k.listen, "-peers", peersFile(t, c), "-await", "client=1")
	at := s.addresses()
	id, _ := at[0].Peer()
	snapshot := filepath.Join(state, "snapshot")
	os.Remove(snapshot)
	if err := os.Mkdir(snapshot, 0o700); err != nil { // a file cannot replace it
		t.Fatal(err)
	}
	self := peer.Member{ID: id, Class: "server", Addresses: at}
	start(t, k.client(0), "-key", key, "-peers", peersFile(t, self))
	s.await("that nothing can be written", func(l peer.Line) bool { return l.Status != nil && strings.Contains(l.Unsaved, "snapshot") })
	if got := s.emitted(); len(got) > 0 {
		t.Errorf("it has come to %v, and could not keep it", got)
	}
	if err := os.Remove(snapshot); err != nil {
		t.Fatal(err)
	}
	s.await("the last round", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round == 3 })
	s.await("that it can be written", func(l peer.Line) bool { return l.Status != nil && l.Completed > 0 && l.Unsaved == "" })
}
