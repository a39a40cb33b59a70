package train

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A signal for another file than standard output, such as the connection of a lost peer, does not end the
// training. A signal for standard output does.
func TestStopsUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stopped := make(chan struct{})
	var gone atomic.Bool // the reader
	stopWhenUnread(w, func() {
		if !gone.Load() {
			t.Error("the training ends though standard output is read")
		}
		close(stopped)
	})
	dead, peer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	if _, err := peer.Write([]byte("hello")); err == nil {
		t.Fatal("writing to a pipe without a reader does not fail")
	}
	peer.Close()
	for range 100 { // several pending signals count as one
		if err := syscall.Kill(os.Getpid(), syscall.SIGPIPE); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	gone.Store(true)
	r.Close()
	w.Write([]byte("hello"))
	<-stopped
}
