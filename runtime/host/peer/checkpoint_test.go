package peer

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// keepsState is a server with a state directory on a disk that fails as a test wants, and its client.
type keepsState struct {
	*station
	n      *lan
	disk   *disktest.Faulty
	dir    string
	key    string
	client trust.Member
	server trust.Member
}

// newKeepsState returns a server of two rounds that has not been started, and starts its client.
func newKeepsState(t *testing.T) *keepsState {
	t.Helper()
	x := &keepsState{n: newLAN(), disk: disktest.New(), dir: filepath.Join(t.TempDir(), "state")}
	key, client := newKeyFile(t, "client", 0)
	x.client = client
	x.key, x.server = newKeyFile(t, "server", 0, lanAddress(1))
	x.n.run(t, handmade.Client(&handmade.Trainer{}), []trust.Member{x.server}, "-key", key)
	return x
}

// start starts the server.
func (x *keepsState) start(t *testing.T, args ...string) error {
	t.Helper()
	part := handmade.Server(2, 1, int64(time.Hour))
	p := Program{Name: "test", Class: part.Class, Fingerprint: part.Fingerprint, Transport: x.n.transport,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return part, nil },
		Start: func(n *runtime.Node) error {
			_, err := n.Invoke(n.Now(), "server", tensor.Of([]float64{8, -3}, 2))
			return err
		}}
	args = append([]string{"-key", x.key, "-state", x.dir, "-listen", string(lanAddress(1)), "-await", "client=1"}, args...)
	s, err := x.n.runOn(t, p, func(o *Options) { o.Peers, o.disk = []trust.Member{x.client}, x.disk }, args...)
	x.station = s
	return err
}

// snapshots counts the attempts to write a snapshot from now on, and lets those fail that fails says.
func (x *keepsState) snapshots(fails func() error) (attempts func() int) {
	var n atomic.Int64
	x.disk.Fault(func(op disktest.Op, name string) error {
		if op != disktest.Rename || filepath.Base(name) != state.SnapshotFile {
			return nil
		}
		n.Add(1)
		return fails()
	})
	return func() int { return int(n.Load()) }
}

// TestNoRoomForAWhile: while no snapshot can be written nothing leaves the peer that a restart would lose. It tries
// again more and more rarely, says so once, and goes on when there is room.
func TestNoRoomForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newKeepsState(t)
		var full atomic.Bool
		full.Store(true)
		attempts := x.snapshots(func() error {
			if full.Load() {
				return syscall.ENOSPC
			}
			return nil
		})
		if err := x.start(t); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		// After 0.1, 0.2, 0.4 … 3.2 s, then each 5 s.
		if n := attempts(); n < 12 || n > 18 {
			t.Errorf("it has tried %d times in a minute, want 12 to 18", n)
		}
		if list := x.logged("no snapshot can be written"); len(list) != 1 || !strings.Contains(list[0], "no space left") {
			t.Errorf("the log says %q, want it once", list)
		}
		if list := x.events.lines(t, "emitted"); list != nil {
			t.Errorf("it tells of %d rounds that it cannot keep", len(list))
		}
		status := x.events.lines(t, "status")
		if s := status[len(status)-1]; !strings.Contains(s.Unsaved, "no space left") {
			t.Errorf("its status says %q", s.Unsaved)
		}
		full.Store(false)
		pass(2 * maxRetry)
		if list := x.events.lines(t, "emitted"); len(list) != 2 {
			t.Errorf("it tells of %d rounds, want 2", len(list))
		}
		if len(x.logged("snapshots are written again")) != 1 {
			t.Errorf("the log does not say that snapshots are written again: %s", &x.log)
		}
		x.see(func(h *host) {
			if h.unsaved != "" || h.retries != 0 {
				t.Errorf("it has not forgotten the failure: %q, %d attempts", h.unsaved, h.retries)
			}
		})
		if err := x.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestNoRoomAtTheEnd: a peer that is told to stop while there is no room does not wait for it. It says why, and the
// next start goes on from what was kept.
func TestNoRoomAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newKeepsState(t)
		if err := x.start(t); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if list := x.events.lines(t, "emitted"); len(list) != 2 {
			t.Fatalf("it has run %d rounds, want 2", len(list))
		}
		x.snapshots(func() error { return syscall.ENOSPC })
		began := time.Now()
		if err := x.end(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("it ends with %v", err)
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("it waits for %v", d)
		}
		x.disk.Fault(nil)
		if err := x.start(t); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		for _, l := range x.events.lines(t, "emitted") { // the last one may be told again
			if l.Round != 2 {
				t.Errorf("it begins anew: with round %d", l.Round)
			}
		}
		if !x.h.started {
			t.Error("it has begun the program again")
		}
		if err := x.end(); err != nil {
			t.Error(err)
		}
	})
}

// A state directory that cannot be written at the start for a reason that passes does not keep the peer from running:
// what the command invite reads is written later.
func TestSelfIsWrittenLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newKeepsState(t)
		if err := x.start(t); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if err := x.end(); err != nil {
			t.Fatal(err)
		}
		const other = "/ip4/10.0.0.2/tcp/1"
		var full atomic.Bool
		full.Store(true)
		x.disk.Fault(func(op disktest.Op, name string) error {
			if op == disktest.Create && full.Load() {
				return syscall.ENOSPC
			}
			return nil
		})
		if err := x.start(t, "-listen", other); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		addresses := func() []wire.Address {
			self, err := trust.ReadSelf(x.disk, x.dir)
			if err != nil {
				t.Fatal(err)
			}
			return self.Addresses
		}
		if a := addresses(); len(a) != 1 {
			t.Errorf("it has written %v without room", a)
		}
		full.Store(false)
		pass(2 * maxRetry)
		if a := addresses(); len(a) != 2 || a[1] != other {
			t.Errorf("it has written %v, want %s, too", a, other)
		}
	})
}

// stuckStore is a component whose state cannot be written.
type stuckStore struct{ err error }

func (s *stuckStore) AppendBinary([]byte) ([]byte, error) { return nil, s.err }
func (s *stuckStore) UnmarshalBinary([]byte) error        { return nil }

// TestNoSnapshot: a peer whose state cannot be put into a snapshot ends with the reason.
func TestNoSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("the index is in use")
		part, _ := emptyPartition(runtime.Env{})
		part.Components = []runtime.Component{&stuckStore{bad}}
		n := newLAN()
		x := n.run(t, part, nil, "-state", filepath.Join(t.TempDir(), "state"))
		pass(time.Second)
		x.stop()
		pass(time.Second)
		select {
		case <-x.ended:
			if !errors.Is(x.err, bad) {
				t.Errorf("it ends with %v, want %v", x.err, bad)
			}
		default:
			t.Error("it does not end")
		}
		ended := x.events.lines(t, "ended")
		if len(ended) != 1 || !strings.Contains(ended[0].Error, bad.Error()) {
			t.Errorf("the last line is %+v, want the reason", ended)
		}
	})
}

// TestRetryIn shows the delays between attempts.
func TestRetryIn(t *testing.T) {
	for retries, want := range map[int]time.Duration{0: firstRetry, 1: 2 * firstRetry, 5: 32 * firstRetry, 6: maxRetry, 60: maxRetry, math.MaxInt: maxRetry} {
		if got := retryIn(retries); got != want {
			t.Errorf("after %d attempts it waits %v, want %v", retries, got, want)
		}
	}
}

// keep makes a host store a snapshot.
func keep(t *testing.T, h *host, begun bool) {
	t.Helper()
	h.spool.Next()
	for ok := true; ok; {
		_, ok = h.node.Poll(h.Now())
	}
	b, err := h.node.Snapshot(nil)
	if err == nil {
		err = h.state.Save(&state.Snapshot{Bytes: b, Begun: begun, Values: h.spool.Names()})
	}
	if err != nil {
		t.Fatal(err)
	}
	h.spool.Sweep()
	h.node.Persisted(h.Now())
}

// A peer whose last snapshot is damaged continues from the previous one, and reports that. It does not do so
// twice, nor after the last one was moved away.
func TestSnapshotDamaged(t *testing.T) {
	for how, spoil := range map[string]func(file string, b []byte) error{
		"short": func(file string, b []byte) error { return os.WriteFile(file, b[:len(b)/2], 0o600) },
		"empty": func(file string, _ []byte) error { return os.WriteFile(file, nil, 0o600) },
		"flipped": func(file string, b []byte) error {
			b[len(b)/2] ^= 4
			return os.WriteFile(file, b, 0o600)
		},
		"another state": func(file string, b []byte) error {
			return os.WriteFile(file, []byte(strings.Replace(string(b), "begun", "waiting", 1)), 0o600)
		},
	} {
		o := Options{State: t.TempDir()}
		h, err := newTestHost(t, o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		file := h.state.Path(state.SnapshotFile)
		keep(t, h, false)
		keep(t, h, true)
		h.giveUp()
		b, err := os.ReadFile(file)
		if err == nil {
			err = spoil(file, slices.Clone(b))
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, again := range []bool{false, true} {
			var errs strings.Builder
			if h, err = newTestHost(t, o, &errs); err != nil {
				t.Fatalf("%s: %v", how, err)
			}
			if h.started {
				t.Errorf("%s: it goes on from the damaged snapshot", how)
			}
			if told := strings.Contains(errs.String(), "goes back to the one before"); told == again {
				t.Errorf("%s: it says %s", how, &errs)
			}
			if _, err := os.Stat(h.state.Path(state.DamagedFile)); err != nil {
				t.Errorf("%s: the damaged one is gone: %v", how, err)
			}
			h.giveUp()
		}
		os.WriteFile(file, b[:10], 0o600)
		if _, err = newTestHost(t, o, io.Discard); !errors.Is(err, state.ErrDamaged) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "put a backup in its place") {
			t.Errorf("%s: both are damaged, and it says %v", how, err)
		}
	}
}

// A peer begins anew if its last snapshot was moved away, even if there is a previous one.
func TestBeginAnew(t *testing.T) {
	o := Options{State: t.TempDir()}
	h, err := newTestHost(t, o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, h, true)
	keep(t, h, true)
	h.giveUp()
	if err := os.Remove(h.state.Path(state.SnapshotFile)); err != nil {
		t.Fatal(err)
	}
	if h, err = newTestHost(t, o, io.Discard); err != nil || h.started {
		t.Errorf("it goes on: %v", err)
	}
}

// A read-only state directory is reported with advice.
func TestReadOnlyState(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	d.Fault(func(op disktest.Op, _ string) error {
		if op != disktest.Open {
			return syscall.EROFS
		}
		return nil
	})
	_, err := newTestHost(t, Options{State: dir, disk: d}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "-state "+dir+": nothing can be written there") {
		t.Errorf("got %v", err)
	}
}

// A peer does not end if its disk is full at the start, nor if it fills later.
func TestFullAtStart(t *testing.T) {
	d, o := disktest.New(), Options{State: t.TempDir()}
	h, err := newTestHost(t, o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, h, true)
	h.giveUp()
	d.Room(0)
	var errs strings.Builder
	o.disk = d
	if h, err = newTestHost(t, o, &errs); err != nil {
		t.Fatalf("it ends: %v", err)
	}
	if !h.started || h.unsaved == "" || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("it says nothing of it: %s", &errs)
	}
}
