package cli

import (
	"context"
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
				os.Exit(Interrupted(s).Code)
			}
		}
	}()
}

// Interrupted returns the failure of a program that a signal has ended, with the exit code that it has in shells: 130 for
// Ctrl-C, 143 for SIGTERM.
func Interrupted(s os.Signal) Failed {
	if n, ok := s.(syscall.Signal); ok {
		return Failed{128 + int(n)}
	}
	return Failed{1}
}

// left is the number of running programs that handle Ctrl-C themselves.
var left atomic.Int32

// LeaveInterrupts leaves Ctrl-C to a program that runs in the same terminal, until restore is called.
func LeaveInterrupts() (restore func()) {
	left.Add(1)
	return func() { left.Add(-1) }
}

// Interrupts returns a context that the first Ctrl-C or SIGTERM ends, and a channel with the next one. It leaves them to the
// caller until stop is called.
func Interrupts() (ctx context.Context, again <-chan os.Signal, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, second := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	restore := LeaveInterrupts()
	go func() {
		for s := range signals {
			if ctx.Err() == nil {
				cancel()
				continue
			}
			select {
			case second <- s:
			default: // the caller has one already
			}
		}
	}()
	return ctx, second, func() {
		signal.Stop(signals)
		close(signals)
		restore()
		cancel()
	}
}
