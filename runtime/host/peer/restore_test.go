package peer

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// keep makes a host store a snapshot.
func keep(t *testing.T, h *host, begun bool) {
	t.Helper()
	h.spool.Next()
	for ok := true; ok; {
		_, ok = h.node.Poll(h.now())
	}
	b, err := h.node.Snapshot(nil)
	if err == nil {
		err = h.state.Save(&state.Snapshot{Bytes: b, Begun: begun, Values: h.spool.Names()})
	}
	if err != nil {
		t.Fatal(err)
	}
	h.spool.Sweep()
	h.node.Persisted(h.now())
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
		if _, err = newTestHost(t, o, io.Discard); !errors.Is(err, state.ErrDamaged) || !strings.Contains(err.Error(), file) {
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
