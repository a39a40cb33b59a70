package cli

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/bbgen/bbgen/internal/project"
)

// interrupted is the exit code of a program that Ctrl-C ends, as shells have it.
const interrupted = 130

// CleanUpOnInterrupt lets Ctrl-C end the process, but not without its temporary
// folders.
func CleanUpOnInterrupt() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range stop {
			if left.Load() == 0 {
				project.RemoveTemps()
				os.Exit(interrupted)
			}
		}
	}()
}

// left counts who wants Ctrl-C for a program that it runs.
var left atomic.Int32

// LeaveInterrupts leaves Ctrl-C to a program that is run in the same terminal,
// until restore is called.
func LeaveInterrupts() (restore func()) {
	left.Add(1)
	return func() { left.Add(-1) }
}
