package train

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestInterrupted: what ends because of a signal is known as such, with the exit code of that signal; an error of its own is not.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for s, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		ctx, cancel := context.WithCancelCause(t.Context())
		third := func(n int) error {
			if n == 3 {
				cancel(signaled{s})
			}
			return nil
		}
		_, err := FindRate(ctx, program(third, nil), points(100), 1e-5, 10, Options{Batch: 10, Steps: 150, Epochs: 1, Seed: 7})
		if code := InterruptCode(ctx); !isInterrupted(ctx, err) || code != want || !HasEnded(code) {
			t.Errorf("%v: got %v and the exit code %d, want %d", s, err, code, want)
		}
		if isInterrupted(ctx, errors.New("no data")) || isInterrupted(t.Context(), err) {
			t.Errorf("%v: another error is taken for it", s)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if cancel(); InterruptCode(ctx) != 130 || HasEnded(1) {
		t.Errorf("another peer ends it: exit code %d, want 130", InterruptCode(ctx))
	}
}
