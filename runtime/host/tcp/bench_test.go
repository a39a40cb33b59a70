package tcp_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The programs of the benchmarks: a server that sends a model to all clients and waits for their answers, round
// after round, without computing anything.
const (
	down, up = wire.EdgeID(1), wire.EdgeID(2)
	blobType = wire.TypeHash(3)
)

func blobEdges() []runtime.Edge {
	return []runtime.Edge{{ID: down, Type: blobType, Name: "down", From: "server"}, {ID: up, Type: blobType, Name: "up", From: "client"}}
}

type blob struct {
	runtime.Frame
	model []byte
	peers []wire.PeerID
	run   func(f *blob, n *runtime.Engine, block int) error
}

func (f *blob) Run(e *runtime.Engine, block int) error { return f.run(f, e, block) }
func (f *blob) Fill(_ int, fill *wire.SlotFill) error {
	if fill.Blob == nil || fill.Blob.Bytes() != nil {
		f.model = append(f.model[:0], fill.Payload...)
		return nil
	}
	f.model = slices.Grow(f.model[:0], int(fill.Len()))[:fill.Len()] // with a state directory it is in a file
	_, err := fill.Blob.ReadAt(f.model, 0)
	return err
}
func (f *blob) Input(int, tensor.Value) error         { return nil }
func (f *blob) Task(int) runtime.Task                 { return nil }
func (f *blob) Clear()                                {}
func (f *blob) AppendBinary(b []byte) ([]byte, error) { return append(b, f.model...), nil }
func (f *blob) UnmarshalBinary(b []byte) error        { f.model = append(f.model[:0], b...); return nil }

func blobServer(model []byte, rounds int) *runtime.Partition {
	round := 0
	serve := func(f *blob, e *runtime.Engine, block int) error {
		if block == 0 {
			f.peers = e.Peers(f.peers[:0], "client")
			e.Send(&f.Frame, 0, f.peers, model)
			e.Expect(&f.Frame, 0, f.peers, len(f.peers), 0, int64(time.Minute))
			return nil
		}
		for _, c := range e.Gathered(&f.Frame, 0) {
			if len(c.(*blob).model) != len(model) {
				return fmt.Errorf("got %d bytes, want %d", len(c.(*blob).model), len(model))
			}
		}
		if round++; round >= rounds {
			return nil
		}
		_, err := e.Begin(&f.Frame, 0)
		return err
	}
	edges := blobEdges()
	edges[1].Receives, edges[1].Module = true, 1
	return &runtime.Partition{Class: "server", Fingerprint: []byte("blob"), Schema: 1, Edges: edges, Modules: []runtime.Module{{
		Name: "server", New: func() runtime.Body { return &blob{run: serve} },
		Blocks: []runtime.Block{{Name: "ask", Starts: 1}, {Name: "take", Wait: 1}},
		Cuts:   []runtime.Cut{{Kind: runtime.GatherCut, Name: "updates"}},
	}, {
		Name: "update", Child: true, New: func() runtime.Body { return &blob{run: func(*blob, *runtime.Engine, int) error { return nil }} },
		Blocks: []runtime.Block{{Name: "take", Wait: 1}},
		Cuts:   []runtime.Cut{{Kind: runtime.FillCut, Name: "update"}},
	}}}
}

func blobClient() *runtime.Partition {
	answer := func(f *blob, e *runtime.Engine, _ int) error {
		f.peers = append(f.peers[:0], f.Sender(0))
		e.Send(&f.Frame, 1, f.peers, f.model)
		return nil
	}
	edges := blobEdges()
	edges[0].Receives = true
	return &runtime.Partition{Class: "client", Fingerprint: []byte("blob"), Schema: 2, Edges: edges, Modules: []runtime.Module{{
		Name: "client", New: func() runtime.Body { return &blob{run: answer} },
		Blocks: []runtime.Block{{Name: "answer", Wait: 1}},
		Cuts:   []runtime.Cut{{Kind: runtime.FillCut, Name: "model"}},
	}}}
}

// federation runs rounds of a server with some clients in this process and returns the duration of each.
func federation(b *testing.B, clients, size, rounds int, args ...string) []time.Duration {
	b.Helper()
	dir := b.TempDir()
	newPeer := func(class string, rank int) (string, peer.Member) {
		file := filepath.Join(dir, fmt.Sprint(class, rank))
		key, err := peer.NewKey(file)
		if err != nil {
			b.Fatal(err)
		}
		return file, peer.Member{ID: peer.IDOf(key), Class: class, Rank: rank}
	}
	write := func(name string, list ...peer.Member) string {
		text, _ := json.Marshal(list)
		file := filepath.Join(dir, name)
		os.WriteFile(file, text, 0o600)
		return file
	}
	serverKey, server := newPeer("server", 0)
	var keys []string
	var members []peer.Member
	for c := range clients {
		key, m := newPeer("client", c)
		keys, members = append(keys, key), append(members, m)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var ended []chan int
	run := func(p *runtime.Partition, tell func(runtime.Event), start func(*runtime.Node) error, transport func(peer.TransportConfig) (peer.Transport, error), args ...string) chan int {
		done := make(chan int, 1)
		go func() {
			done <- peer.Do(ctx, peer.Program{Name: "blob", Class: p.Class, Fingerprint: p.Fingerprint, Tell: tell, Start: start, Transport: transport,
				Partition: func(runtime.Env) (*runtime.Partition, error) { return p, nil }}, append([]string{"-log", "none"}, args...), io.Discard, os.Stderr)
		}()
		ended = append(ended, done)
		return done
	}
	var times []time.Duration
	last := time.Now()
	tell := func(e runtime.Event) {
		if e.Kind == runtime.Finished && e.Module == "server" {
			times = append(times, time.Since(last))
			last = time.Now()
		}
	}
	start := func(n *runtime.Node) error { last = time.Now(); _, err := n.Invoke(n.Now(), "server"); return err }
	at := make(chan []wire.Address, 1)
	listening := func(c peer.TransportConfig) (peer.Transport, error) {
		t, err := tcp.New(c)
		if err == nil {
			at <- t.Addresses()
		}
		return t, err
	}
	model := make([]byte, size)
	rand.Read(model)
	done := run(blobServer(model, rounds), tell, start, listening, append([]string{"-key", serverKey, "-peers", write("clients", members...),
		"-listen", "127.0.0.1:0", "-await", fmt.Sprint("client=", clients), "-once"}, args...)...)
	server.Addresses = <-at
	for c := range clients {
		run(blobClient(), nil, nil, tcp.New, "-key", keys[c], "-rank", fmt.Sprint(c), "-peers", write(fmt.Sprint("server", c), server))
	}
	if code := <-done; code != 0 || len(times) != rounds {
		b.Fatalf("exit code %d after %d of %d rounds", code, len(times), rounds)
	}
	cancel()
	for _, c := range ended[1:] {
		<-c
	}
	return times
}

func BenchmarkRound(b *testing.B) {
	for _, x := range []struct{ clients, size int }{{2, 6_640_000}, {10, 800_000}, {2, 8}} {
		b.Run(fmt.Sprintf("clients=%d/bytes=%d", x.clients, x.size), func(b *testing.B) {
			times := federation(b, x.clients, x.size, max(b.N, 3))[1:]
			slices.Sort(times)
			median := times[len(times)/2]
			b.ReportMetric(float64(median)/1e6, "ms/round")
			b.ReportMetric(float64(times[0])/1e6, "ms-best")
			b.ReportMetric(float64(2*x.clients*x.size)/median.Seconds()/1e6, "MB/s")
		})
	}
}

// The same rounds with a state directory: every message waits for a snapshot.
func BenchmarkDurableRound(b *testing.B) {
	times := federation(b, 2, 6_640_000, max(b.N, 3), "-state", b.TempDir())[1:]
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/1e6, "ms/round")
}

// The limits of the machine: TLS 1.3 of the standard library, and a stream of this package.
func BenchmarkStream(b *testing.B) {
	const size = 1 << 20
	pour := func(b *testing.B, w io.Writer, r io.Reader) {
		p := make([]byte, size)
		rand.Read(p)
		done := make(chan error, 1)
		go func() {
			buf := make([]byte, size)
			for range b.N {
				if _, err := io.ReadFull(r, buf); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		b.SetBytes(size)
		b.ResetTimer()
		for range b.N {
			if _, err := w.Write(p); err != nil {
				b.Fatal(err)
			}
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.Run("raw TLS", func(b *testing.B) {
		_, key, _ := ed25519.GenerateKey(rand.Reader)
		t := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
		der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
		if err != nil {
			b.Fatal(err)
		}
		c := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}
		l, err := tls.Listen("tcp", "127.0.0.1:0", c)
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		accepted := make(chan net.Conn, 1)
		go func() { s, _ := l.Accept(); s.(*tls.Conn).Handshake(); accepted <- s }()
		w, err := tls.Dial("tcp", l.Addr().String(), c)
		if err != nil {
			b.Fatal(err)
		}
		pour(b, w, <-accepted)
	})
	b.Run("stream", func(b *testing.B) {
		newTransport := func(at ...wire.Address) (peer.Transport, wire.PeerID) {
			_, key, _ := ed25519.GenerateKey(rand.Reader)
			t, err := tcp.New(peer.TransportConfig{Key: key, Listen: at, Log: slog.New(slog.DiscardHandler), HandshakeTimeout: time.Minute})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { t.Close() })
			return t, peer.IDOf(key)
		}
		x, id := newTransport("/ip4/127.0.0.1/tcp/0")
		y, _ := newTransport()
		accepted := make(chan peer.Stream, 1)
		go func() { s, _ := x.Accept(); accepted <- s }()
		w, err := y.Dial(b.Context(), id, x.Addresses(), peer.BulkStream)
		if err != nil {
			b.Fatal(err)
		}
		pour(b, w, <-accepted)
	})
}
