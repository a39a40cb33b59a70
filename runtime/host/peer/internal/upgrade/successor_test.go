package upgrade

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// TestSuccessorCannotRun: if neither the successor nor the old binary can be run, the process says so, and so does the
// order; the old one is in its place.
func TestSuccessorCannotRun(t *testing.T) {
	if !CanExec {
		t.Skip("no process becomes another binary here")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "peer")
	for _, previous := range []string{"", file + ".previous"} {
		for _, name := range []string{file, previous} {
			if name == "" {
				continue
			}
			if err := os.WriteFile(name, []byte("no program: "+name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := &Successor{order: state.Order{ID: "mine", Stage: state.Accepted}, Binary: file, Previous: previous, state: dir}
		if err := s.Take(); !errors.Is(err, os.ErrPermission) {
			t.Errorf("got %v", err)
		}
		if o, err := state.ReadOrder(disk.OS, dir); err != nil || o.Stage != state.Refused || !strings.Contains(o.Refused, file+" cannot be run") {
			t.Errorf("the order is %+v, %v", o, err)
		}
		if b, _ := os.ReadFile(file); previous != "" && string(b) != "no program: "+previous {
			t.Errorf("the old binary is not back: %s", b)
		}
	}
	if text := (&Successor{}).Error(); text != "the peer goes on as another binary" {
		t.Error(text)
	}
}

// A new binary takes the place of the old one, which stays beside it and can return.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	running, other := filepath.Join(dir, "peer"), filepath.Join(dir, "new")
	write := func(name, text string) {
		if err := disk.Write(disk.OS, name, 0o755, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(name, want string) {
		t.Helper()
		if b, err := disk.OS.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v, want %q", filepath.Base(name), b, err, want)
		}
	}
	write(running, "old")
	write(other, "new")
	s := &Successor{Binary: running}
	if err := s.replace(filepath.Join(dir, "none")); err == nil {
		t.Error("a binary that there is not takes the place")
	}
	if err := s.replace(other); err != nil {
		t.Fatal(err)
	}
	holds(running, "new")
	holds(running+".previous", "old")
	if err := s.back(); err != nil {
		t.Fatal(err)
	}
	holds(running, "old")
	write(other, "old")
	same := &Successor{Binary: running}
	if err := same.replace(other); err != nil || same.Previous != "" || same.back() != nil {
		t.Errorf("the same binary is replaced: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := ask(ctx, running, nil); err == nil || !strings.Contains(err.Error(), "does not say which version it is") {
		t.Errorf("a file that is no program: %v", err)
	}
}

// TestAskPatience: a binary that has ended, and whose output a program keeps open that it has started, is not waited for.
func TestAskPatience(t *testing.T) {
	dir := t.TempDir()
	own := state.Version{Program: "test", Class: "c"}
	file := filepath.Join(dir, "pid")
	stays := script(t, filepath.Join(dir, "stays"), "sleep 600 &\necho $! > "+file+"\n"+says(t, own))
	t.Cleanup(func() {
		b, err := os.ReadFile(file)
		pid, bad := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil || bad != nil {
			return
		}
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	})
	answered := make(chan error, 1)
	go func() {
		_, err := ask(t.Context(), stays, nil)
		answered <- err
	}()
	select {
	case err := <-answered:
		if !errors.Is(err, exec.ErrWaitDelay) {
			t.Errorf("got %v, want that its output is still open", err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for the program that the binary has started")
	}
}
