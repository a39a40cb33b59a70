package cli

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// TestExitCodeOfSignals holds that a process which a signal ends exits as shells expect.
func TestExitCodeOfSignals(t *testing.T) {
	if os.Getenv("BBGEN_TEST_WAITS") != "" {
		CleanUpOnInterrupt()
		os.Stdout.WriteString("ready\n")
		select {}
	}
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	for s, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestExitCodeOfSignals$")
		cmd.Env = append(os.Environ(), "BBGEN_TEST_WAITS=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // its error is the exit code
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%v: exit code %d, want %d", s, got, want)
		}
	}
}

// TestInterrupts: the first signal ends the context, and the second is passed on.
func TestInterrupts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	ctx, again, stop := Interrupts()
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	select {
	case s := <-again:
		t.Fatalf("the first signal is passed on as %v", s)
	default:
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if s := <-again; s != os.Interrupt {
		t.Errorf("got %v", s)
	}
}
