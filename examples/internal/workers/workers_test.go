package workers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// The end of a worker is an error, unless it is the one that was killed.
func TestNext(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	f, err := Start(t.TempDir(), "service", 2) // its workers wait for requests, and do not end
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	for range 2 { // the first lines of both
		if _, err := Next(f, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Kill(1); err != nil {
		t.Fatal(err)
	}
	for {
		l, err := Next(f, Name(1))
		if err != nil {
			t.Fatal(err)
		}
		if l.Peer == Name(1) && (l.Kind == "exited" || l.Kind == "failed") {
			break
		}
	}
	if err := f.Kill(0); err != nil {
		t.Fatal(err)
	}
	for {
		if l, err := Next(f, Name(1)); err != nil {
			if l.Peer != Name(0) {
				t.Errorf("%+v: %v", l, err)
			}
			return
		}
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Start(filepath.Join(dir, "none"), "dataparallel", 1); err == nil {
		t.Error("a missing folder is no error")
	}
	if err := os.Mkdir(filepath.Join(dir, "digits"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(dir, "dataparallel", 1); err == nil {
		t.Error("the files of other workers are no error")
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		value any
		want  float64
	}{{[]any{2.5}, 2.5}, {[]any{}, 0}, {[]any{1.0, 2.0}, 0}, {[]any{"2.5"}, 0}, {2.5, 0}, {nil, 0}} {
		if got := Number(peer.Line{Value: c.value}); got != c.want {
			t.Errorf("%v: %v, want %v", c.value, got, c.want)
		}
	}
}
