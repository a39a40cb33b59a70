package cli

import (
	"os"
	"os/signal"
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
		<-stop
		project.RemoveTemps()
		os.Exit(interrupted)
	}()
}
