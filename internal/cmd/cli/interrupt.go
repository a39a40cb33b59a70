package cli

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/bbgen/bbgen/internal/project"
)

// CleanUpOnInterrupt makes Ctrl-C and SIGTERM remove temporary folders before they end the process.
func CleanUpOnInterrupt() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		for s := range stop {
			if left.Load() == 0 {
				project.RemoveTemps()
				os.Exit(exitCode(s))
			}
		}
	}()
}

// exitCode returns the exit code of a program that a signal ends, as in shells: 130 for Ctrl-C, 143 for SIGTERM.
func exitCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

// left is the number of running programs that handle Ctrl-C themselves.
var left atomic.Int32

// LeaveInterrupts leaves Ctrl-C to a program that runs in the same terminal, until restore is called.
func LeaveInterrupts() (restore func()) {
	left.Add(1)
	return func() { left.Add(-1) }
}
