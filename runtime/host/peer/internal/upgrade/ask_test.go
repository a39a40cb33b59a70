//go:build unix

package upgrade

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestAskEnds: a binary that is a script may leave a program behind that holds its output, or wait for one that does not end. The
// peer does not wait for either, or it would never look at another order.
func TestAskEnds(t *testing.T) {
	for name, text := range map[string]string{
		"leaves a program": `cat FIFO & echo '{"program":"p"}'`,
		"waits for one":    "cat FIFO; true",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fifo := filepath.Join(dir, "FIFO")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip("no pipes with names here:", err)
			}
			file := script(t, filepath.Join(dir, "next"), "cd "+dir+"\n"+text)
			t.Cleanup(func() { // the program that is left ends
				if f, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
					f.Close()
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			got := make(chan error)
			go func() {
				_, err := ask(ctx, file, nil)
				got <- err
			}()
			select {
			case err := <-got:
				if err == nil {
					t.Error("it is taken for a peer")
				}
			case <-time.After(time.Minute):
				t.Fatal("the peer waits for ever")
			}
		})
	}
}
