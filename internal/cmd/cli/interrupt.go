package cli

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/bbgen/bbgen/internal/project"
)

// interrupted is the exit code of a program that Ctrl-C ends, as in shells.
const interrupted = 130

// CleanUpOnInterrupt makes Ctrl-C remove temporary folders before it ends the process.
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

// left is the number of running programs that handle Ctrl-C themselves.
var left atomic.Int32

// LeaveInterrupts leaves Ctrl-C to a program that runs in the same terminal, until restore is called.
func LeaveInterrupts() (restore func()) {
	left.Add(1)
	return func() { left.Add(-1) }
}
