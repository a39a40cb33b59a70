package train

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/dataparallel"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

// quiet returns a job without output.
func quiet() *job {
	cmd := &cobra.Command{}
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	return &job{cmd: cmd}
}

func signalSelf(t *testing.T, s os.Signal) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestInterruptedAtOnce: a trainer that a signal ends at once, as the second one does, has the exit code that it has in shells.
func TestInterruptedAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	err := quiet().runPeer("sh", []string{"-c", "kill -TERM $PPID; exec sleep 1000"})
	if failed, ok := errors.AsType[cli.Failed](err); !ok || failed.Code != 143 {
		t.Errorf("got %v, want the exit code 143", err)
	}
}

// TestInterruptedTwice: several processes that go on after a first signal end at once with the second.
func TestInterruptedTwice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "deaf")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\ntrap '' INT TERM\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	j, over := quiet(), make(chan bool)
	j.peers = peers{class: dataparallel.Class, count: 2}
	j.launched = func(*launch.Fleet) {
		go func() {
			for {
				signalSelf(t, syscall.SIGTERM)
				select {
				case <-over:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		}()
	}
	err := j.runTogether(bin, dir, nil)
	over <- true
	if failed, ok := errors.AsType[cli.Failed](err); !ok || failed.Code != 143 {
		t.Errorf("got %v, want the exit code 143", err)
	}
}

// TestInterrupted interrupts trainings of one process and of several: each writes its checkpoint, prints how to go on, and
// exits as shells expect. With --resume it goes on.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains with them")
	}
	data := digitsIn(t)
	for _, group := range [][]string{nil, {"--peers", "2"}, {"--stages", "2"}} {
		dir := t.TempDir()
		metrics, checkpoint := filepath.Join(dir, "metrics"), filepath.Join(dir, "ck")
		args := append([]string{lenet, "--data", data, "--batch", "30", "--checkpoint", checkpoint, "--metrics", metrics, "-o", filepath.Join(dir, "out.onnx")}, group...)
		cmd := new(job).command()
		var out, errs bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		cmd.SetArgs(append(args, "--steps", "1000000"))
		go func() {
			awaitStep(metrics, 5)
			signalSelf(t, syscall.SIGTERM)
		}()
		err := cmd.Execute()
		if failed, ok := errors.AsType[cli.Failed](err); !ok || failed.Code != 143 || errs.Len() > 0 && strings.Contains(errs.String(), "ended") {
			t.Errorf("%v: got %v, want the exit code 143; it prints %s", group, err, &errs)
		}
		if !strings.Contains(out.String(), "interrupted after step ") || !strings.Contains(out.String(), "--checkpoint "+checkpoint+" --resume") {
			t.Errorf("%v: it prints\n%s\nwant how to go on", group, &out)
		}
		cmd = new(job).command()
		out.Reset()
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		cmd.SetArgs(append(args, "--resume", "--epochs", "1"))
		if err := cmd.Execute(); err != nil {
			t.Errorf("%v, resumed: %v\n%s", group, err, &errs)
		}
	}
}
