package peer

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
	"github.com/bbgen/bbgen/runtime/wire"
)

// waiting starts a peer whose only execution waits for what nobody sends.
func waiting(t *testing.T, n *lan, args ...string) *station {
	t.Helper()
	part := handmade.Ping(1)
	p := Program{Name: "test", Class: part.Class, Fingerprint: part.Fingerprint, Transport: n.transport,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return part, nil },
		Start: func(n *runtime.Node) error {
			_, err := n.Invoke(n.Now(), "ping", tensor.Of([]float64{1}, 1))
			return err
		}}
	x, err := n.runProgram(t, p, []trust.Member{{ID: testID(7), Class: "pong"}}, args...)
	if err != nil {
		t.Fatal(err)
	}
	pass(time.Minute)
	return x
}

// TestGrace: a peer that is told to stop lets its executions end for a while, then it gives them up and says for what
// they wait. One with a state directory need not wait: the next start continues them.
func TestGrace(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		takes time.Duration
		err   error
	}{
		"usual":   {nil, 10 * time.Second, errGrace},
		"shorter": {[]string{"-grace", "1500ms"}, 1500 * time.Millisecond, errGrace},
		"kept":    {[]string{"-state", filepath.Join(t.TempDir(), "state")}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := waiting(t, newLAN(), c.args...)
				began := time.Now()
				err := x.end()
				if took := time.Since(began); took != c.takes {
					t.Errorf("it ends after %v, want %v", took, c.takes)
				}
				if !errors.Is(err, c.err) {
					t.Errorf("it ends with %v, want %v", err, c.err)
				}
				if c.err != nil && !strings.Contains(err.Error(), "they wait for fill y of ping, execution 1 of ping-0, for 1m") {
					t.Errorf("it ends with %v, want what is awaited", err)
				}
			})
		})
	}
}

// TestStopTwice: a second request to stop ends the peer at once.
func TestStopTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := waiting(t, newLAN(), "-grace", "1h")
		x.stop()
		pass(time.Minute)
		began := time.Now()
		x.h.Post(x.h.Stop)
		<-x.ended
		if took := time.Since(began); took > time.Second || !errors.Is(x.err, errGrace) {
			t.Errorf("it ends after %v with %v", took, x.err)
		}
		if status := x.events.lines(t, "status"); status[len(status)-1].State != "stopping" {
			t.Errorf("its last status is %s", status[len(status)-1].State)
		}
	})
}

// TestStopsForOthers: a peer that stops writes what it has still to say, and its peers see at once that it is gone.
func TestStopsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		pongKey, pong := newKeyFile(t, "pong", 0, lanAddress(1))
		pingKey, ping := newKeyFile(t, "ping", 0)
		y := n.run(t, handmade.Pong(), []trust.Member{ping}, "-key", pongKey, "-listen", string(lanAddress(1)))
		x := n.run(t, handmade.Ping(1), []trust.Member{pong}, "-key", pingKey)
		pass(time.Second)
		began := time.Now()
		if err := y.end(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		down := x.events.lines(t, "peer down")
		if len(down) != 1 || down[0].Time.Sub(began) > time.Second || down[0].From != "pong-0" {
			t.Errorf("the other peer sees %+v", down)
		}
	})
}

// TestOnceFails: with -once a peer ends with an error if what it was started for has failed, or has not come to its
// end. Rounds may fail if all are run.
func TestOnceFails(t *testing.T) {
	bad := errors.New("a block failed")
	self, other := testID(1), testID(2)
	begun := runtime.Event{Kind: runtime.Published, Module: "m", Name: runtime.LoopBegun}
	done := runtime.Event{Kind: runtime.Published, Module: "m", Name: runtime.LoopDone}
	finished := func(origin wire.PeerID, err error) runtime.Event {
		return runtime.Event{Kind: runtime.Finished, Module: "m", Exec: wire.ExecID{Origin: origin, Number: 3}, Err: err}
	}
	for name, c := range map[string]struct {
		events []runtime.Event
		want   string
	}{
		"nothing":                    {nil, ""},
		"an execution":               {[]runtime.Event{finished(self, nil)}, ""},
		"one that fails":             {[]runtime.Event{finished(self, nil), finished(self, bad)}, "-once: execution 3 of m: a block failed"},
		"of another peer":            {[]runtime.Event{finished(other, bad)}, ""},
		"rounds":                     {[]runtime.Event{begun, finished(self, nil), done}, ""},
		"rounds of which one fails":  {[]runtime.Event{begun, finished(self, bad), done}, ""},
		"rounds that do not end":     {[]runtime.Event{begun, finished(self, nil)}, errLoops.Error()},
		"rounds that end for a fail": {[]runtime.Event{begun, finished(self, bad)}, "-once: execution 3 of m: a block failed"},
	} {
		h := &host{}
		h.config.Self = self
		for _, e := range c.events {
			h.task.follow(h, e)
		}
		got := ""
		if err := h.task.end(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestStartFails: an error of the program's start, of a command or of an input ends the peer.
func TestStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("no such module")
		p := doubling()
		p.Start = func(*runtime.Node) error { return bad }
		x, err := newLAN().runProgram(t, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		<-x.ended
		if !errors.Is(x.err, bad) {
			t.Errorf("it ends with %v, want %v", x.err, bad)
		}
	})
}

// TestStopsFeeding: a peer that stops begins no more executions of -in, and the first failure is the one it ends with.
func TestStopsFeeding(t *testing.T) {
	h := newPagesHost(t)
	h.options = &Options{}
	part, _ := emptyPartition(runtime.Env{})
	var err error
	if h.feed, err = feed.New(part, nil); err != nil {
		t.Fatal(err)
	}
	h.stopping = true
	if h.feedMore() {
		t.Error("it begins an execution")
	}
	first, second := errors.New("first"), errors.New("second")
	h.fail(first)
	h.fail(second)
	if !h.done || !errors.Is(h.err, first) {
		t.Errorf("it ends with %v, want %v", h.err, first)
	}
	if h.dial(h.links[testID(2)]); h.links[testID(2)].dialing {
		t.Error("a host that has ended dials")
	}
}

// TestAwaitsInputs: a peer whose program waits for inputs that nobody can give says which.
func TestAwaitsInputs(t *testing.T) {
	var log bytes.Buffer
	h := newPagesHost(t)
	h.log = slog.New(slog.NewTextHandler(&log, nil))
	h.running, h.ungiven, h.ready = true, []string{"x"}, make(chan struct{})
	ready := h.ready
	h.start()
	if !h.started || !strings.Contains(log.String(), "waits for") || !strings.Contains(log.String(), "-in x=") {
		t.Errorf("it has started: %v, and says %s", h.started, &log)
	}
	select {
	case <-ready:
	default:
		t.Error("callers wait for a program that runs")
	}
}

// TestAwaitedComesBack: a program begins when the last awaited peer is connected again, although the node has not reported that it was
// lost, and so does not report that it is back.
func TestAwaitedComesBack(t *testing.T) {
	h := newPagesHost(t)
	l := h.links[testID(2)]
	h.options.Await = map[string]int{l.Class: 1}
	var err error
	if h.members, err = trust.NewMembers(testID(1), nil, disk.OS, "", &h.Limits.Wire); err != nil {
		t.Fatal(err)
	}
	theirs := wire.Hello{Protocol: wire.Protocol, Incarnation: 1, Classes: []string{l.Class}}
	connect := func() {
		near, far := net.Pipe()
		t.Cleanup(func() { far.Close() })
		s := pipeStream{near}
		if err := h.establish(l, s, conversation.NewFrames(s, 0), theirs, true); err != nil {
			t.Error(err)
		}
	}
	h.Ask(func() {
		connect()
		h.disconnected(l, l.conn, io.EOF)
		h.running = true
		if h.start(); h.started {
			t.Error("the program begins without the peer")
		}
		if connect(); !h.started {
			t.Error("the program does not begin")
		}
	})
}

// TestPanicIsContained: a command that panics fails; the host goes on.
func TestPanicIsContained(t *testing.T) {
	err := protect(panics{})
	if err == nil || !strings.Contains(err.Error(), "command") || !strings.Contains(err.Error(), "index 3") {
		t.Errorf("got %v, want the panic", err)
	}
}

type panics struct{}

func (panics) Do() error { panic("index 3 of 2") }

// TestOnceAwaitsAnswers: with -once a peer does not end when the executions of its inputs have ended here, but when their answers have
// come, too.
func TestOnceAwaitsAnswers(t *testing.T) {
	h := newPagesHost(t)
	p, _ := emptyPartition(runtime.Env{})
	p.Modules = append(p.Modules, runtime.Module{Name: "answer", New: p.Modules[0].New, Blocks: make([]runtime.Block, 1)})
	m := &p.Modules[0]
	m.Inputs, m.Cuts, m.Answers = []int{0}, []runtime.Cut{{Kind: runtime.InputCut, Name: "q"}}, []int{1}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "q.pb")
	if err := os.WriteFile(file, tensorio.AppendTensor(nil, "q", tensor.Of([]float32{1})), 0o666); err != nil {
		t.Fatal(err)
	}
	if h.feed, err = feed.New(p, []string{"q=" + file}); err != nil {
		t.Fatal(err)
	}
	h.node, h.options, h.started = n, &Options{Once: true}, true
	poll := func() {
		for ok := true; ok; {
			var o runtime.Output
			if o, ok = n.Poll(0); ok && o.Kind == runtime.Tell {
				h.feed.Follow(*o.Event)
			}
		}
	}
	poll()
	if began, err := h.feed.Begin(n, 0, 1); !began || err != nil {
		t.Fatal(began, err)
	}
	poll()
	if s := n.Stats(); s.Live+s.Outbound > 0 {
		t.Fatalf("%d executions live here and %d messages are under way, want none", s.Live, s.Outbound)
	}
	if h.finish(); h.stopping {
		t.Error("it ends without the answer")
	}
	h.feed.Follow(runtime.Event{Kind: runtime.Finished, Module: "answer", Exec: wire.ExecID{Origin: testID(1), Incarnation: 1, Number: 1}})
	if h.finish(); !h.stopping {
		t.Error("the answer has come, and it does not end")
	}
}
