package train

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Interruptible returns a context that ends with Ctrl-C or SIGTERM. A second signal ends the process at once.
func Interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	restore := sync.OnceFunc(func() { signal.Stop(signals) })
	context.AfterFunc(ctx, restore)
	go func() {
		select {
		case s := <-signals:
			restore() // before anything else hears of the first one
			cancel(signaled{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// signaled is the cause of a context that a signal has ended.
type signaled struct{ os.Signal }

func (s signaled) Error() string { return s.String() }

// isInterrupted reports whether an error says that a context has ended.
func isInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, ErrInterrupted) || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// InterruptCode returns the exit code of a program that was interrupted: as in shells, 128 and the number of the signal that
// ended its context, which is 130 for Ctrl-C and 143 for SIGTERM. If something else has ended it, such as another peer, that is
// as Ctrl-C.
func InterruptCode(ctx context.Context) int {
	if s, ok := context.Cause(ctx).(signaled); ok {
		if n, ok := s.Signal.(syscall.Signal); ok {
			return 128 + int(n)
		}
	}
	return 128 + int(syscall.SIGINT)
}

// HasEnded reports whether an exit code is that of a training that has ended in order: it is complete, or it was interrupted
// and its checkpoint is written.
func HasEnded(code int) bool {
	return code == 0 || code == 128+int(syscall.SIGINT) || code == 128+int(syscall.SIGTERM)
}
