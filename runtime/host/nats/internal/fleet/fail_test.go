package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProfiles: a run with a folder for profiles leaves one of each part in it.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	f := fleet{clients: 2, rounds: 1, params: 1, profiles: dir, log: "none"}
	if err := f.run(io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"broker", "connect", "rounds"} {
		b, err := os.ReadFile(filepath.Join(dir, name+".pprof"))
		if err != nil || !bytes.HasPrefix(b, []byte("\x1f\x8b")) {
			t.Errorf("%s: %v, %d bytes, want a compressed profile", name, err, len(b))
		}
	}
	if _, err := os.Stat(f.dir); !os.IsNotExist(err) {
		t.Errorf("the folder of the run is left: %v", err)
	}
}

// TestProfileRefuses: profiles that cannot be written end the run before it is measured, and the broker with an error.
func TestProfileRefuses(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	if _, err := profile(none, "rounds"); !os.IsNotExist(err) {
		t.Errorf("got %v, want that there is no folder", err)
	}
	if _, err := startBroker(none); err == nil || !strings.Contains(err.Error(), "the broker tells no address") {
		t.Errorf("got %v, want that the broker has not started", err)
	}
	dir := t.TempDir()
	stop, err := profile(dir, "first")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if _, err := profile(dir, "second"); err == nil {
		t.Error("there are two profiles at a time")
	}
}

// TestFollow reads the server's events as they are written: it counts finished rounds, and ends with the first failure.
func TestFollow(t *testing.T) {
	const finished = `{"kind":"finished"}` + "\n"
	for _, c := range []struct {
		events, printed, want string
	}{
		{finished + `{"kind":"output"}` + "\n" + finished, "round 1\nround 2\n", ""},
		{finished + `{"kind":"failed","error":"no quorum"}` + "\n", "round 1\n", "the server: failed: no quorum"},
		{`{"kind":"end","error":"the disk is full"}` + "\n", "", "the server: end: the disk is full"},
		{"{}}\n", "", "invalid character"},
	} {
		f := fleet{rounds: 2, dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(f.dir, "events"), []byte(c.events), 0o600); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := f.follow(&out)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || out.String() != c.printed {
			t.Errorf("%q: got %v and %q, want %q and %q", c.events, err, &out, c.want, c.printed)
		}
	}
	f := fleet{rounds: 1, dir: t.TempDir()}
	if err := f.follow(io.Discard); !os.IsNotExist(err) {
		t.Errorf("without events: %v", err)
	}
}

// TestKeysRefuses: without a folder there are neither keys nor peers.
func TestKeysRefuses(t *testing.T) {
	f := fleet{clients: 1, dir: filepath.Join(t.TempDir(), "none"), broker: &broker{address: "/ip4/127.0.0.1/tcp/1"}}
	if err := f.keys(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is no folder", err)
	}
	if err := f.start(); err == nil || !strings.HasPrefix(err.Error(), "server 0: ") {
		t.Errorf("got %v, want that the server has no key", err)
	}
}
