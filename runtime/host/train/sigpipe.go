package train

import (
	"os"
	"os/signal"
	"syscall"
)

// stopsUnread calls stop when out has no reader any more: the process that launched this one
// may have ended. Such a write raises SIGPIPE; so does a write to the connection of a peer
// that has died, after which the training goes on.
func stopsUnread(out *os.File, stop func()) {
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
