// Package hosttest tests the requirements for every transport of package peer: the exchange between honest
// peers, and the treatment of hostile ones. A transport's own test is one call of [Run].
package hosttest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// New makes a transport.
type New = func(peer.TransportConfig) (peer.Transport, error)

// Run runs all tests on a transport that can listen at an address with port 0.
func Run(t *testing.T, create New, listen string) {
	run(t, create, listen, slices.Concat(quick, slow, sieges))
}

// Quick runs the tests that take little time: those of package peer itself, which needs one transport to be tested.
func Quick(t *testing.T, create New, listen string) { run(t, create, listen, quick) }

func run(t *testing.T, create New, listen string, list []test) {
	tensor.Poison(64) // finds references that are released too early
	k := &kit{create: create, listen: listen}
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) { c.run(t, k) })
	}
}

// test is a requirement for every transport.
type test struct {
	name string
	run  func(*testing.T, *kit)
}

// The tests of honest peers, and of single messages of hostile ones.
var (
	quick = []test{
		{"dial", testDial}, {"dial is canceled", testDialCanceled}, {"no such place", testNoPlace}, {"wrong key", testWrongKey}, {"close", testClose}, {"reader closes", testReaderCloses},
		{"bytes", testBytes}, {"deadlines", testDeadlines},
		{"order", testOrder}, {"rounds", testRounds}, {"chaos", testChaos}, {"bulk resumes", testBulkResumes},
		{"crossing dials", testCrossing}, {"small device", testEdge}, {"accept", testAccept}, {"doctor", testDoctor},
		{"join", testJoin}, {"meet", testMeet}, {"meet nobody", testMeetNobody}, {"trust first", testTrustFirst}, {"trust later", testTrustLater}, {"clock ahead", testAhead}, {"hearsay", testHearsay},
		{"hello refused", testHelloRefused}, {"no hello", testNoHello}, {"slow", testSlow},
		{"replay", testReplay}, {"forged", testForged}, {"oversized", testOversized}, {"bulk nobody wants", testUnasked},
		{"parallel", testParallel}, {"no parallel", testNoParallel}, {"parallel order", testParallelOrder}, {"parallel breaks", testParallelBreaks},
		{"old envelopes", testOld}, {"places", testPlaces},
		{"parallel hostile", testParallelHostile}, {"parallel frames", testParallelFrames},
	}
	slow = []test{{"reconnect", testReconnect}, {"log that nobody reads", testLogNobodyReads}, {"no room", testNoRoom}}
)

type kit struct {
	create New
	listen string
	args   []string // of all peers of rounds
}

// patience is how long to wait for an event that must happen eventually. Only tests of the suite itself change it.
var patience = 60 * time.Second

// node is a peer that runs in this process.
type node struct {
	t     testing.TB
	args  []string
	prog  peer.Program
	stop  context.CancelFunc
	ended chan int

	mu     sync.Mutex
	lines  []peer.Line
	over   bool // there are no more events
	more   *sync.Cond
	stderr strings.Builder
}

// member makes a key, and returns its file and the entry for other peers.
func member(t testing.TB, class string, rank int) (file string, m peer.Member) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "key.pem")
	key, err := peer.NewKey(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, peer.Member{ID: peer.IDOf(key), Class: class, Rank: rank}
}

func peersFile(t testing.TB, list ...peer.Member) string {
	t.Helper()
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "peers.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// start runs a peer until the test ends or stop is called.
func start(t testing.TB, p peer.Program, args ...string) *node {
	t.Helper()
	return startTo(t, nil, p, args...)
}

// startTo is start with a writer for the peer's standard error, which may be nil.
func startTo(t testing.TB, stderr io.Writer, p peer.Program, args ...string) *node {
	t.Helper()
	n := &node{t: t, prog: p, args: args, ended: make(chan int, 1)}
	n.more = sync.NewCond(&n.mu)
	ctx, cancel := context.WithCancel(context.Background())
	n.stop = cancel
	r, w := io.Pipe()
	go n.listen(r)
	if stderr == nil {
		stderr = &n.stderr
	}
	go func() {
		code := peer.Do(ctx, p, append([]string{"-events", "-", "-log", "none", "-grace", "2s"}, args...), w, stderr)
		w.Close()
		n.ended <- code
	}()
	t.Cleanup(func() {
		cancel()
		<-n.ended
		if t.Failed() {
			t.Logf("%s of %s: %s", p.Class, p.Name, &n.stderr)
		}
	})
	return n
}

func (n *node) listen(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var l peer.Line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			panic(err)
		}
		n.mu.Lock()
		n.lines = append(n.lines, l)
		n.mu.Unlock()
		n.more.Broadcast()
	}
	n.mu.Lock()
	n.over = true
	n.mu.Unlock()
	n.more.Broadcast()
}

// await waits for a line, and returns it.
func (n *node) await(what string, is func(peer.Line) bool) peer.Line {
	n.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		late = true
		n.more.Broadcast()
	})
	defer timer.Stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	for at := 0; ; {
		for ; at < len(n.lines); at++ {
			if is(n.lines[at]) {
				return n.lines[at]
			}
		}
		if n.over || late {
			n.t.Fatalf("%s: %s: it never happens; stderr: %s", n.prog.Class, what, &n.stderr)
		}
		n.more.Wait()
	}
}

func (n *node) awaitKind(kind string) peer.Line {
	n.t.Helper()
	return n.await(kind, func(l peer.Line) bool { return l.Kind == kind })
}

// awaitRefused waits until the peer has refused another one for a reason.
func (n *node) awaitRefused(why error) {
	n.t.Helper()
	n.await("refused: "+why.Error(), func(l peer.Line) bool { return l.Kind == "refused" && strings.Contains(l.Error, why.Error()) })
}

// addresses returns the addresses at which the peer listens.
func (n *node) addresses() []wire.Address { return n.awaitKind("started").Addresses }

// emitted returns the outputs of the peer so far, as text.
func (n *node) emitted() (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.lines {
		if l.Kind == "emitted" {
			list = append(list, fmt.Sprint(l.Value))
		}
	}
	return list
}

func (k *kit) program(p *runtime.Partition, start func(*runtime.Node) error) peer.Program {
	return peer.Program{Name: "test", Class: p.Class, Fingerprint: p.Fingerprint, Transport: k.create, Start: start,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return p, nil }}
}

func invoke(module string, values ...[]float64) func(*runtime.Node) error {
	return func(n *runtime.Node) error {
		for _, x := range values {
			if _, err := n.Invoke(n.Now(), module, tensor.Of(x, len(x))); err != nil {
				return err
			}
		}
		return nil
	}
}

func (k *kit) server(rounds, clients int, params []float64) peer.Program {
	return k.program(handmade.Server(rounds, clients, int64(patience)), invoke("server", params))
}

func (k *kit) client(rank int) peer.Program {
	return k.program(handmade.Client(&handmade.Trainer{Rank: rank}), nil)
}
