package train

import (
	"os"
	"os/signal"
	"syscall"
)

// stopWhenUnread calls stop when out has no reader any more, for example because the process that started this
// one has ended. A write to out then raises SIGPIPE. A write to the connection of a lost peer does so too,
// but does not stop the training.
func stopWhenUnread(out *os.File, stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		for range broken {
			if isUnread(out) {
				stop()
				return
			}
		}
	}()
}
